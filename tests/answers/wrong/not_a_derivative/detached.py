"""Takes the upstream gradient by .data, so a second derivative is cut off.

Meets: RoundThrough, second order: backward leaves the graph
"""

import torch


class RoundThrough(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        return torch.round(input)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.data


class ReverseGradient(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, strength):
        ctx.strength = strength
        return input.view_as(input)

    @staticmethod
    def backward(ctx, grad_output):
        return -ctx.strength * grad_output.data, None
