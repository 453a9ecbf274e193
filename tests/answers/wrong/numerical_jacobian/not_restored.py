"""Moves x itself and takes the step back.

Meets: x untouched: do not give the same x back
"""

from itertools import product

import torch


@torch.no_grad()
def numerical_jacobian(fn, x, eps=1e-6):
    x = x.double()
    if 0 in x.stride():
        x = x.clone()
    columns = []
    for place in product(*map(range, x.shape)):
        x[place] += eps
        up = fn(x).clone()
        x[place] -= 2 * eps
        down = fn(x).clone()
        x[place] += eps
        columns.append(((up - down) / (2 * eps)).reshape(-1))
    return torch.stack(columns, dim=1)
