"""Writes through reshape(-1), which copies what is not contiguous.

Meets: same object: changes the tensor
"""

import torch


class ReLUInPlace(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input > 0)
        ctx.mark_dirty(input)
        input.reshape(-1).clamp_(min=0)
        return input

    @staticmethod
    def backward(ctx, grad_output):
        (is_open,) = ctx.saved_tensors
        return grad_output * is_open
