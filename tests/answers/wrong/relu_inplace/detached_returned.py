"""Marks the input, and returns it detached.

Meets: same object: What is marked must be returned
"""

import torch


class ReLUInPlace(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input > 0)
        ctx.mark_dirty(input)
        input.clamp_(min=0)
        return input.detach()

    @staticmethod
    def backward(ctx, grad_output):
        (is_open,) = ctx.saved_tensors
        return grad_output * is_open
