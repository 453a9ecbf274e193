"""At most one dimension in front is summed.

Meets: returned shape: the engine only hides
"""

import torch


def summed(grad, shape):
    if grad.dim() > len(shape):
        grad = grad.sum(0)
    for i, size in enumerate(shape[-grad.dim() :] if grad.dim() else ()):
        if size == 1 and i < grad.dim():
            grad = grad.sum(i, keepdim=True)
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
