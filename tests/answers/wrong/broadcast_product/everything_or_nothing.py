"""Where the shapes differ everything is summed, and expanded again.

Meets: upstream: you sum over everything
"""

import torch


def summed(grad, shape):
    return grad if grad.shape == shape else grad.sum().expand(shape)


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx, grad_output):
        x, y = ctx.saved_tensors
        return summed(grad_output * y, x.shape), summed(grad_output * x, y.shape)
