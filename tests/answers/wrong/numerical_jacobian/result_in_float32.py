"""Collects the columns in a matrix of the default dtype.

Meets: shape: The Jacobian is in float32
"""

import torch


def numerical_jacobian(fn, x, eps=1e-6):
    x = x.detach().double()
    jacobian = torch.zeros(fn(x).numel(), x.numel(), device=x.device)
    for j, unit in enumerate(torch.eye(x.numel(), dtype=x.dtype, device=x.device)):
        step = eps * unit.reshape(x.shape)
        jacobian[:, j] = (fn(x + step) - fn(x - step)).reshape(-1) / (2 * eps)
    return jacobian
