"""Sums for both where the first has as many dimensions, and for the first alone where the second has more.

Meets: returned shape: the engine only hides
"""

import torch


def summed(grad, shape):
    return grad.sum_to_size(shape)


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx, grad_output):
        x, y = ctx.saved_tensors
        if x.dim() >= y.dim():
            return summed(grad_output * y, x.shape), summed(grad_output * x, y.shape)
        return summed(grad_output * y, x.shape), grad_output * x
