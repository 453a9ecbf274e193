"""Moves x itself and takes the step back.

Meets: x untouched: do not give the same x back
"""

import torch


def numerical_jacobian(fn, x, eps=1e-6):
    columns = []
    x = x if x.dtype == torch.float64 else x.double()
    with torch.no_grad():
        for index in torch.cartesian_prod(*map(torch.arange, x.shape)) if x.dim() else [()]:
            if x.dim() and 0 in x.stride():
                x = x.contiguous()
            place = tuple(torch.as_tensor(index).reshape(-1).tolist())
            x[place] += eps
            up = fn(x).clone()
            x[place] -= 2 * eps
            down = fn(x).clone()
            x[place] += eps
            columns.append(((up - down) / (2 * eps)).reshape(-1))
    return torch.stack(columns, dim=1)
