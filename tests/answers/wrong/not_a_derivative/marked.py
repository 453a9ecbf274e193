"""Marks the rounded output as non-differentiable.

Meets: RoundThrough, forward: cut off from the graph
"""

import torch


class RoundThrough(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        output = torch.round(input)
        ctx.mark_non_differentiable(output)
        return output

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
        return -ctx.strength * grad_output, None
