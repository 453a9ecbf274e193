"""Every sum keeps its dimension, those that the factor never had too.

Meets: returned shape: never had
"""

import torch


def summed(grad, shape):
    front = grad.dim() - len(shape)
    axes = [*range(front), *(front + i for i, size in enumerate(shape) if size == 1)]
    return grad.sum(dim=axes, keepdim=True) if axes else grad


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx, grad_output):
        x, y = ctx.saved_tensors
        return summed(grad_output * y, x.shape), summed(grad_output * x, y.shape)
