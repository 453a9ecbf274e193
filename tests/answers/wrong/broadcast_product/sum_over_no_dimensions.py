"""Where nothing was repeated the list of dimensions is empty, and sum then sums over all.

Meets: returned: sums over all
"""

import torch


def summed(grad, shape):
    front = grad.dim() - len(shape)
    axes = list(range(front)) + [front + i for i, size in enumerate(shape) if size != grad.shape[front + i]]
    return grad.sum(axes, keepdim=True).reshape(shape)


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx, grad_output):
        x, y = ctx.saved_tensors
        return summed(grad_output * y, x.shape), summed(grad_output * x, y.shape)
