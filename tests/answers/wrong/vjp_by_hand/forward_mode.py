"""Forward-mode autograd, twice.

Meets: form: calls jvp, which does the work for you
"""

import torch
from torch.func import jvp


def y(x, w):
    return ((x * w) ** 2 + x) * (x * w)


def vjp(x, w, upstream):
    one, zero = torch.ones_like(x), torch.zeros_like(x)
    _, by_x = jvp(y, (x, w), (one, zero))
    _, by_w = jvp(y, (x, w), (zero, one))
    return upstream * by_x, upstream * by_w
