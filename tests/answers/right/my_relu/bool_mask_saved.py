"""Saves a bool mask, not the input."""

import torch


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        mask = input > 0
        ctx.save_for_backward(mask)
        return input.masked_fill(~mask, 0)

    @staticmethod
    def backward(ctx, grad_output):
        (mask,) = ctx.saved_tensors
        return grad_output * mask
