"""The mask lies on ctx as bytes.

Meets: kept: A checkpoint drops what save_for_backward was given
"""

import torch


class Dropout(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, p):
        ctx.p, ctx.mask = p, (torch.rand_like(input) >= p).to(torch.uint8)
        return input * ctx.mask / (1 - p)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.mask / (1 - ctx.p), None
