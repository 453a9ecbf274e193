"""Scales the step by the number that it moves.

Meets: step: Go eps to each side, as far as you are told
"""

import torch


def numerical_jacobian(fn, x, eps=1e-6):
    x = x.detach().double()
    columns = []
    for number, unit in zip(x.reshape(-1), torch.eye(x.numel(), dtype=x.dtype, device=x.device), strict=True):
        h = eps * max(1.0, number.abs().item())
        step = h * unit.reshape(x.shape)
        columns.append((fn(x + step) - fn(x - step)).reshape(-1) / (2 * h))
    return torch.stack(columns, dim=1)
