"""zip compares the shapes from the left, and reshape then has too many numbers.

Meets: returned: compare the shapes from the right
"""

import torch


def summed(grad, shape):
    for i, (mine, whole) in enumerate(zip(shape, grad.shape)):
        if mine == 1 and whole > 1:
            grad = grad.sum(i, keepdim=True)
    return grad.reshape(shape)


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx, grad_output):
        x, y = ctx.saved_tensors
        return summed(grad_output * y, x.shape), summed(grad_output * x, y.shape)
