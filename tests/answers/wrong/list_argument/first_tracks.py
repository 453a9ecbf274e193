"""The first tensor is passed by itself and opens the graph; the others get their .grad by hand.

Meets: tracked: does not look into a list
"""

import torch


class SquaredNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, first, tensors):
        ctx.tensors = tensors
        return sum((t * t).sum() for t in tensors)

    @staticmethod
    def backward(ctx, grad_output):
        for t in ctx.tensors[1:]:
            t.grad = 2 * grad_output * t
        return 2 * grad_output * ctx.tensors[0], None


def squared_norm(tensors):
    return SquaredNorm.apply(tensors[0], tensors)
