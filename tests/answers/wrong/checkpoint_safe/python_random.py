"""Python draws the mask.

Meets: random: Draw with torch
"""

import random

import torch


class Dropout(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, p):
        drawn = [random.random() for _ in range(input.numel())]
        scale = (torch.tensor(drawn, device=input.device).reshape(input.shape) >= p).to(input.dtype) / (1 - p)
        ctx.save_for_backward(scale)
        return input * scale

    @staticmethod
    def backward(ctx, grad_output):
        (scale,) = ctx.saved_tensors
        return grad_output * scale, None
