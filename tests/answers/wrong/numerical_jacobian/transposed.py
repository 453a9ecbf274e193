"""A row for each input.

Meets: shape: Turned on its side
"""

import torch


def numerical_jacobian(fn, x, eps=1e-6):
    x = x.detach().double()
    rows = []
    for unit in torch.eye(x.numel(), dtype=x.dtype, device=x.device):
        step = eps * unit.reshape(x.shape)
        rows.append((fn(x + step) - fn(x - step)).reshape(-1) / (2 * eps))
    return torch.stack(rows)
