"""Checks a dropout of its own.

Meets: random forward: call the Function that you are handed
"""

import torch


def single_precision(gradcheck, square):
    x = torch.tensor([0.3, -1.2, 2.0], dtype=torch.float64, requires_grad=True)
    return gradcheck(square, x)


def at_the_kink(gradcheck, relu):
    x = torch.tensor([-1.0, 0.5, 2.0], dtype=torch.float64, requires_grad=True)
    return gradcheck(relu, x)


def random_forward(gradcheck, dropout):
    x = torch.linspace(1, 3, 8, dtype=torch.float64, requires_grad=True)
    torch.manual_seed(0)
    mask = torch.rand_like(x) < 0.5
    return gradcheck(lambda x: 2 * x * mask, x)


def expanded(gradcheck, square):
    x = torch.tensor([1.5], dtype=torch.float64).expand(3)
    return gradcheck(square, x.contiguous().requires_grad_())
