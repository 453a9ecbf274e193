"""Missing dimensions in front are summed, those of size 1 are not.

Meets: returned shape: those of size 1 are not
"""

import torch


def summed(grad, shape):
    while grad.dim() > len(shape):
        grad = grad.sum(0)
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
