"""Reads ctx.saved_variables. Seed 000 and many posts call it removed; on torch 2.13 it still works (DeprecationWarning).

Accepted.
Source: https://github.com/chenyuntc/pytorch-book/issues/7
"""

import torch


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return input.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_variables
        grad_input = grad_output.clone()
        grad_input[input < 0] = 0
        return grad_input
