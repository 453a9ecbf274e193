"""Starts with zeros and adds, as the engine does; returns a list."""

import torch


def vjp(x, w, upstream):
    a = x * w
    c = a**2 + x
    grad_x, grad_a = torch.zeros_like(x), torch.zeros_like(a)
    grad_c = upstream * a
    grad_a += upstream * c
    grad_a += grad_c * 2 * a
    grad_x += grad_c
    grad_x += grad_a * w
    return [grad_x, grad_a * x]
