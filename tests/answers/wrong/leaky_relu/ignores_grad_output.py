"""The local slope alone.

Meets: upstream: backward ignores grad_output
"""

import torch


class LeakyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, slope):
        ctx.save_for_backward(input)
        ctx.slope = slope
        return torch.where(input > 0, input, slope * input)

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        return torch.where(input > 0, 1.0, ctx.slope).to(input.dtype), None
