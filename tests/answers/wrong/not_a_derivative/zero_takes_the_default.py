"""0 is false, so a default takes its place.

Meets: ReverseGradient, upstream: no default
"""

import torch


class RoundThrough(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        return input.round()

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output


class ReverseGradient(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, strength):
        ctx.strength = strength or 1.0
        return input.view_as(input)

    @staticmethod
    def backward(ctx, grad_output):
        return -ctx.strength * grad_output, None
