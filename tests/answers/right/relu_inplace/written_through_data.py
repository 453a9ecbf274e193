"""Writes through .data and marks; mark_dirty counts the change."""

import torch


class ReLUInPlace(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input > 0)
        input.data.clamp_(min=0)
        ctx.mark_dirty(input)
        return input

    @staticmethod
    def backward(ctx, grad_output):
        (is_open,) = ctx.saved_tensors
        return grad_output * is_open
