"""A copy is made for one dimension and forgotten for the others.

Meets: upstream untouched: Work on a copy
"""

import torch


class CarefulReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return input.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        grad_input = grad_output.clone() if grad_output.dim() == 1 else grad_output
        grad_input[input < 0] = 0
        return grad_input
