"""apply gets the list, as it came.

Meets: tracked: does not look into a list
"""

import torch


class SquaredNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, tensors):
        ctx.tensors = tensors
        return sum((t * t).sum() for t in tensors)

    @staticmethod
    def backward(ctx, grad_output):
        return [2 * grad_output * t for t in ctx.tensors]


def squared_norm(tensors):
    return SquaredNorm.apply(tensors)
