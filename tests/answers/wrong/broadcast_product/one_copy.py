"""The gradient of the first copy alone.

Meets: upstream: The gradient of one copy alone
"""

import torch


def summed(grad, shape):
    while grad.dim() > len(shape):
        grad = grad[0]
    for i, size in enumerate(shape):
        if size == 1:
            grad = grad.narrow(i, 0, 1)
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
