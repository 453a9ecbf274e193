"""The mask is saved, and a copy of the input lies on ctx for later.

Meets: kept: A checkpoint drops what save_for_backward was given
"""

import torch


class Dropout(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, p):
        scale = (torch.rand_like(input) >= p).to(input.dtype) / (1 - p)
        ctx.input = input.clone()
        ctx.save_for_backward(scale)
        return input * scale

    @staticmethod
    def backward(ctx, grad_output):
        (scale,) = ctx.saved_tensors
        return grad_output * scale, None
