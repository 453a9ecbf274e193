"""One-sided difference.

Meets: second order: One-sided
"""

import torch


def numerical_jacobian(fn, x, eps=1e-6):
    x = x.detach().double()
    y = fn(x).reshape(-1)
    columns = []
    for unit in torch.eye(x.numel(), dtype=x.dtype, device=x.device):
        columns.append((fn(x + eps * unit.reshape(x.shape)).reshape(-1) - y) / eps)
    return torch.stack(columns, dim=1)
