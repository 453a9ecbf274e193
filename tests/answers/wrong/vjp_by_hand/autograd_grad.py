"""Lets autograd do it.

Meets: form: calls torch.autograd.grad, which does the work for you
"""

import torch


def vjp(x, w, upstream):
    x, w = x.clone().requires_grad_(), w.clone().requires_grad_()
    a = x * w
    y = (a**2 + x) * a
    return torch.autograd.grad(y, (x, w), upstream)
