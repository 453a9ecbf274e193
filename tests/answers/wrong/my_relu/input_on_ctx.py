"""The input is kept as an attribute of ctx, out of sight of the version check.

Meets: stale: use ctx.save_for_backward
"""

import torch


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.input = input
        return input.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * (ctx.input > 0)
