"""Moves the caller's leaf.

Meets: x untouched: x belongs to the caller
"""

import torch


def numerical_jacobian(fn, x, eps=1e-6):
    x = x if x.dtype == torch.float64 and x.is_contiguous() else x.double().contiguous()
    flat = x.reshape(-1)
    columns = []
    for j in range(flat.numel()):
        kept = flat[j].item()
        flat[j] = kept + eps
        up = fn(x).clone()
        flat[j] = kept - eps
        down = fn(x).clone()
        flat[j] = kept
        columns.append(((up - down) / (2 * eps)).reshape(-1))
    return torch.stack(columns, dim=1)
