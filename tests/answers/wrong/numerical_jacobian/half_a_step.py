"""Goes half of eps to each side.

Meets: step: You step half as far
"""

import torch


def numerical_jacobian(fn, x, eps=1e-6):
    x = x.detach().double()
    columns = []
    for unit in torch.eye(x.numel(), dtype=x.dtype, device=x.device):
        step = eps / 2 * unit.reshape(x.shape)
        columns.append((fn(x + step) - fn(x - step)).reshape(-1) / eps)
    return torch.stack(columns, dim=1)
