"""Goes to both sides and divides by one eps.

Meets: columns: Twice too large
"""

import torch


def numerical_jacobian(fn, x, eps=1e-6):
    x = x.detach().double()
    columns = []
    for unit in torch.eye(x.numel(), dtype=x.dtype, device=x.device):
        step = eps * unit.reshape(x.shape)
        columns.append((fn(x + step) - fn(x - step)).reshape(-1) / eps)
    return torch.stack(columns, dim=1)
