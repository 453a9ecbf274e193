"""Saves the slope, an intermediate, and says nothing of second derivatives, which come out as 0.

Meets: second order: an intermediate result
"""

import torch


class Log1pExp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(torch.sigmoid(input))
        return torch.logaddexp(input, torch.zeros_like(input))

    @staticmethod
    def backward(ctx, grad_output):
        (slope,) = ctx.saved_tensors
        return grad_output * slope
