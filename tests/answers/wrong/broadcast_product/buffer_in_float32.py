"""The gradients are collected in zeros of the default dtype.

Meets: other dtype: fixed dtype
"""

import torch


def summed(grad, like):
    total = torch.zeros(like.shape, device=like.device)
    return total + grad.sum_to_size(like.shape)


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx, grad_output):
        x, y = ctx.saved_tensors
        return summed(grad_output * y, x), summed(grad_output * x, y)
