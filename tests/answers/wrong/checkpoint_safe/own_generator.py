"""A generator of its own, which no checkpoint restores.

Meets: random: Draw with torch
"""

import torch

SOURCE = torch.Generator().manual_seed(0)


class Dropout(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, p):
        scale = (torch.rand(input.shape, generator=SOURCE, device="cpu").to(input.device) >= p).to(input.dtype) / (1 - p)
        ctx.save_for_backward(scale)
        return input * scale

    @staticmethod
    def backward(ctx, grad_output):
        (scale,) = ctx.saved_tensors
        return grad_output * scale, None
