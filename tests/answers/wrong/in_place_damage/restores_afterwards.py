"""Damages grad_output and puts zeros back as ones.

Meets: upstream: not the upstream gradient
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
        grad_input = torch.ones_like(grad_output)
        grad_input[input < 0] = 0
        return grad_input * grad_output.sum()
