"""Moves all numbers at once: one column only.

Meets: shape: One column is not enough
"""


def numerical_jacobian(fn, x, eps=1e-6):
    x = x.detach().double()
    return ((fn(x + eps) - fn(x - eps)) / (2 * eps)).reshape(-1, 1)
