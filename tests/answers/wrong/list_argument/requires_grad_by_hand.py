"""requires_grad is set on the result.

Meets: tracked: set by hand makes the result a leaf
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
    return SquaredNorm.apply(tensors).requires_grad_()
