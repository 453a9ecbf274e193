"""The shapes are compared from the left, filled up behind.

Meets: returned shape: compared from the left
"""

import torch


def summed(grad, shape):
    for i in range(grad.dim()):
        mine = shape[i] if i < len(shape) else 1
        if mine == 1 and grad.shape[i] != 1:
            grad = grad.sum(i, keepdim=True)
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
