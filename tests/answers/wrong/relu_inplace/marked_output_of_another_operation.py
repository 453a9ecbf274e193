"""mark_dirty is told of a fresh tensor in place of the input.

Meets: same object: What is marked must be returned
"""

import torch


class ReLUInPlace(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        is_open = input > 0
        ctx.mark_dirty(is_open)
        ctx.save_for_backward(is_open)
        return input.clamp_(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        (is_open,) = ctx.saved_tensors
        return grad_output * is_open
