"""The input is changed and marked, and a copy returned.

Meets: same object: What is marked must be returned
"""

import torch


class ReLUInPlace(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input > 0)
        ctx.mark_dirty(input)
        return input.clamp_(min=0).clone()

    @staticmethod
    def backward(ctx, grad_output):
        (is_open,) = ctx.saved_tensors
        return grad_output * is_open
