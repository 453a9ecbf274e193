"""Defines vjp, the other official name of backward."""

import torch


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return input.clamp(min=0)

    @staticmethod
    def vjp(ctx, grad_output):
        (input,) = ctx.saved_tensors
        return grad_output * (input > 0)
