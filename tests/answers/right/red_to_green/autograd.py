"""Asks autograd, which the task does not forbid."""

import torch


def slope(x):
    x = x.detach().requires_grad_()
    return torch.autograd.grad((x**3).sum(), x)[0]
