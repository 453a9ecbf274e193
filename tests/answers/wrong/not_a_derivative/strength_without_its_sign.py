"""Takes the size of strength, without its sign.

Meets: ReverseGradient, upstream: strength may be negative
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
        ctx.strength = abs(strength)
        return input.view_as(input)

    @staticmethod
    def backward(ctx, grad_output):
        return -ctx.strength * grad_output, None
