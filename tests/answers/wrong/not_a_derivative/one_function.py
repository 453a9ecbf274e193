"""Hands over the same class twice.

Meets: RoundThrough, forward: without rounding
"""

import torch


class ReverseGradient(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, strength=1.0):
        ctx.strength = strength
        return input.view_as(input)

    @staticmethod
    def backward(ctx, grad_output):
        return -ctx.strength * grad_output, None


RoundThrough = ReverseGradient
