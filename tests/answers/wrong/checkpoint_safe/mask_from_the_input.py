"""The draw depends on the input alone, so that it repeats itself.

Meets: forward: Each element by itself
"""

import torch


class Dropout(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, p):
        drawn = (input * 12.9898).sin().mul(43758.5453).frac().abs()
        scale = (drawn >= p).to(input.dtype) / (1 - p)
        ctx.save_for_backward(scale)
        return input * scale

    @staticmethod
    def backward(ctx, grad_output):
        (scale,) = ctx.saved_tensors
        return grad_output * scale, None
