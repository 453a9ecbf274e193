"""The call has its star, forward takes one tensor.

Meets: value: takes any number
"""

import torch


class SquaredNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, tensors):
        ctx.save_for_backward(tensors)
        return (tensors * tensors).sum()

    @staticmethod
    def backward(ctx, grad_output):
        return tuple(2 * grad_output * t for t in ctx.saved_tensors)


def squared_norm(tensors):
    return SquaredNorm.apply(*tensors)
