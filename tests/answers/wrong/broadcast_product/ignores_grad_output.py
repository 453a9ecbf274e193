"""The slope alone, as under y.sum().

Meets: upstream: ignores grad_output
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
        ones = torch.ones_like(grad_output)
        return (ones * y).sum_to_size(x.shape), (ones * x).sum_to_size(y.shape)
