"""Leaves are refused by hand, also where torch lets them pass.

Meets: same object: Only a leaf that requires grad
"""

import torch


class ReLUInPlace(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        if input.is_leaf:
            raise RuntimeError("a leaf Variable that requires grad has been used in an in-place operation.")
        ctx.save_for_backward(input > 0)
        ctx.mark_dirty(input)
        return input.clamp_(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        (is_open,) = ctx.saved_tensors
        return grad_output * is_open
