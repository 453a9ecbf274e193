"""Writes through .data, behind the back of the version counter.

Meets: same object: call ctx.mark_dirty
"""

import torch


class ReLUInPlace(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input > 0)
        input.data.clamp_(min=0)
        return input

    @staticmethod
    def backward(ctx, grad_output):
        (is_open,) = ctx.saved_tensors
        return grad_output * is_open
