"""The mask is in a list on ctx.

Meets: kept: A checkpoint drops what save_for_backward was given
"""

import torch


class Dropout(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, p):
        scale = (torch.rand_like(input) >= p).to(input.dtype) / (1 - p)
        ctx.kept = [scale]
        return input * scale

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.kept[0], None
