"""Inputs are cast in forward by hand: autocast casts them back, and float64 is lost.

Meets: forward: forward computes something else
"""

import torch


class SquaredDistance(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        x, y = x.float(), y.float()
        ctx.save_for_backward(x, y)
        return (x * x).sum(1, keepdim=True) + (y * y).sum(1) - 2 * x @ y.t()

    @staticmethod
    def backward(ctx, grad_output):
        x, y = ctx.saved_tensors
        grad_x = 2 * (grad_output.sum(1, keepdim=True) * x - grad_output @ y)
        grad_y = 2 * (grad_output.sum(0).unsqueeze(1) * y - grad_output.t() @ x)
        return grad_x, grad_y
