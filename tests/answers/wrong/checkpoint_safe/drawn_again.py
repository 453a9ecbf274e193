"""backward draws a mask of its own.

Meets: gradient: The gradient is that of another draw
"""

import torch


class Dropout(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, p):
        ctx.p = p
        return input * (torch.rand_like(input) >= p) / (1 - p)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * (torch.rand_like(grad_output) >= ctx.p) / (1 - ctx.p), None
