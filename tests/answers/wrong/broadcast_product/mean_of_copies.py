"""The mean over the copies in place of the sum.

Meets: upstream: averaged
"""

import torch


def summed(grad, shape):
    while grad.dim() > len(shape):
        grad = grad.mean(0)
    for i, size in enumerate(shape):
        if size == 1:
            grad = grad.mean(i, keepdim=True)
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
