"""The tensors in a dict: autograd does not look into that either.

Meets: tracked: does not look into a list
"""

import torch


class SquaredNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, tensors):
        ctx.tensors = tensors
        return sum((t * t).sum() for t in tensors.values())

    @staticmethod
    def backward(ctx, grad_output):
        return None


def squared_norm(tensors):
    return SquaredNorm.apply(dict(enumerate(tensors)))
