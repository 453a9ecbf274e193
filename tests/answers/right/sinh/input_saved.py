"""Saves the input and recomputes: right, with advice."""

import torch


class Sinh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.sinh(x), torch.exp(x), torch.exp(-x)

    @staticmethod
    def backward(ctx, a, b, c):
        (x,) = ctx.saved_tensors
        return a * torch.cosh(x) + b * torch.exp(x) - c * torch.exp(-x)
