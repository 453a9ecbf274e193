"""Copies only the expanded gradient, which raised; the others are still damaged.

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
        grad_input = grad_output if grad_output.is_contiguous() else grad_output.clone()
        grad_input[input < 0] = 0
        return grad_input
