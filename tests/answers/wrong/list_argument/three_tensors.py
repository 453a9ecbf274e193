"""Written for exactly three tensors.

Meets: value: takes any number
"""

import torch


class SquaredNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, c):
        ctx.save_for_backward(a, b, c)
        return (a * a).sum() + (b * b).sum() + (c * c).sum()

    @staticmethod
    def backward(ctx, grad_output):
        return tuple(2 * grad_output * t for t in ctx.saved_tensors)


def squared_norm(tensors):
    return SquaredNorm.apply(*tensors)
