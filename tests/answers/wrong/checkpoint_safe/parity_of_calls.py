"""Each second call drops the opposite: a counter on the class.

Meets: checkpoint: Draw with torch
"""

import torch


class Dropout(torch.autograd.Function):
    calls = 0

    @staticmethod
    def forward(ctx, input, p):
        Dropout.calls += 1
        drawn = torch.rand_like(input)
        drawn = drawn if Dropout.calls % 2 else 1 - drawn
        scale = (drawn >= p).to(input.dtype) / (1 - p)
        ctx.save_for_backward(scale)
        return input * scale

    @staticmethod
    def backward(ctx, grad_output):
        (scale,) = ctx.saved_tensors
        return grad_output * scale, None
