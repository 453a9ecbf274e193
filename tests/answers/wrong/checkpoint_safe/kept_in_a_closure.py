"""The mask waits in a function that ctx holds.

Meets: kept: A checkpoint drops what save_for_backward was given
"""

import torch


class Dropout(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, p):
        scale = (torch.rand_like(input) >= p).to(input.dtype) / (1 - p)
        ctx.times = lambda g: g * scale
        return input * scale

    @staticmethod
    def backward(ctx, grad_output):
        return ctx.times(grad_output), None
