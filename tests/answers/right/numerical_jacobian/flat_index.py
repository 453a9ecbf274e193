"""Moves a flat copy, one place at a time, and fills a matrix."""

import torch


def numerical_jacobian(fn, x, eps=1e-6):
    point = x.detach().to(torch.float64).reshape(-1)
    n = point.numel()
    jacobian = None
    for j in range(n):
        up, down = point.clone(), point.clone()
        up[j] += eps
        down[j] -= eps
        change = (fn(up.reshape(x.shape)) - fn(down.reshape(x.shape))).flatten()
        if jacobian is None:
            jacobian = torch.zeros(change.numel(), n, dtype=torch.float64, device=x.device)
        jacobian[:, j] = change / (2 * eps)
    return jacobian
