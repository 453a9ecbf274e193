"""Negatives are scaled down and not cut off.

Meets: same object: changes the tensor
"""

import torch


class ReLUInPlace(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        is_open = input > 0
        ctx.mark_dirty(input)
        ctx.save_for_backward(is_open)
        input[~is_open] *= 0.01
        return input

    @staticmethod
    def backward(ctx, grad_output):
        (is_open,) = ctx.saved_tensors
        return grad_output * is_open
