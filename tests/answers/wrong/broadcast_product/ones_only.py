"""Dimensions of size 1 are summed, those missing in front are not.

Meets: returned shape: those that were missing in front are not
"""

import torch


def summed(grad, shape):
    for i in range(1, len(shape) + 1):
        if shape[-i] == 1:
            grad = grad.sum(-i, keepdim=True)
    return grad


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx, grad_output):
        x, y = ctx.saved_tensors
        return summed(grad_output * y, x.shape), summed(grad_output * x, y.shape)
