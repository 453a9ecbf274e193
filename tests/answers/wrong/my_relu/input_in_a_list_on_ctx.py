"""The input hides in a list on ctx.

Meets: stale: use ctx.save_for_backward
"""

import torch


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.kept = [input]
        return input.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * (ctx.kept[0] > 0)
