"""Moves a copy in place; a function that returns a view of it moves along.

Meets: columns: What fn returned is a view of x
"""

import torch


def numerical_jacobian(fn, x, eps=1e-6):
    x = x.detach().double().contiguous().clone()
    flat = x.view(-1)
    columns = []
    for j in range(flat.numel()):
        kept = flat[j].item()
        flat[j] = kept + eps
        up = fn(x)
        flat[j] = kept - eps
        down = fn(x)
        flat[j] = kept
        columns.append(((up - down) / (2 * eps)).reshape(-1))
    return torch.stack(columns, dim=1)
