"""Both gradients come back in the shape of the product: the engine sums them, so .grad is right.

Meets: returned shape: the engine sums them for you
"""

import torch


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx, grad_output):
        x, y = ctx.saved_tensors
        return grad_output * y, grad_output * x
