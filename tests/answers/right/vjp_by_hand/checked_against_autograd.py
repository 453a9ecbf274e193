"""By hand, with a test beside it that asks autograd."""

import torch


def vjp(x, w, upstream):
    a = x * w
    c = a**2 + x
    grad_a = upstream * (c + 2 * a**2)
    return upstream * a + grad_a * w, grad_a * x


def try_it():
    x, w = torch.randn(2, 3, dtype=torch.float64, requires_grad=True)
    a = x * w
    return torch.autograd.grad((a**2 + x) * a, (x, w), torch.ones_like(x))
