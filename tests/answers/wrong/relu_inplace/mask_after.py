"""The mask is taken after the change, with >=.

Meets: history: is it taken after the change
"""

import torch


class ReLUInPlace(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.mark_dirty(input)
        input.clamp_(min=0)
        ctx.save_for_backward(input >= 0)
        return input

    @staticmethod
    def backward(ctx, grad_output):
        (is_open,) = ctx.saved_tensors
        return grad_output * is_open
