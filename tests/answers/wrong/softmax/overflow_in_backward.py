"""Stable in forward; backward computes the output again and overflows.

Meets: large numbers: takes no maximum off
"""

import torch


class Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.softmax(x, -1)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        y = x.exp() / x.exp().sum(-1, keepdim=True)
        return y * (grad_output - (grad_output * y).sum(-1, keepdim=True))
