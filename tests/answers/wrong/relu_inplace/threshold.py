"""The gate of backward opens at 0.01 only.

Meets: kink: derivative at input
"""

import torch


class ReLUInPlace(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.mark_dirty(input)
        ctx.save_for_backward(input > 0.01)
        return input.clamp_(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        (is_open,) = ctx.saved_tensors
        return grad_output * is_open
