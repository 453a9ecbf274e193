"""view(-1) on a tensor that is not contiguous.

Meets: shape: write reshape in place of view
"""

import torch


def numerical_jacobian(fn, x, eps=1e-6):
    x = x.detach().double()
    columns = []
    for j in range(x.numel()):
        step = torch.zeros_like(x)
        step.view(-1)[j] = eps
        columns.append((fn(x + step) - fn(x - step)).reshape(-1) / (2 * eps))
    return torch.stack(columns, dim=1)
