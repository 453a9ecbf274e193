"""Saves where the gate is shut."""

import torch


class LeanReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        shut = input <= 0
        ctx.save_for_backward(shut)
        return input.masked_fill(shut, 0)

    @staticmethod
    def backward(ctx, grad_output):
        (shut,) = ctx.saved_tensors
        return grad_output.masked_fill(shut, 0)
