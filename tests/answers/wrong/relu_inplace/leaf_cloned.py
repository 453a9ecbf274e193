"""A leaf is copied, so that no error comes.

Meets: leaf: torch refuses a leaf
"""

import torch


class ReLUInPlace(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        if input.is_leaf and input.requires_grad:
            input = input.clone()
        else:
            ctx.mark_dirty(input)
        ctx.save_for_backward(input > 0)
        return input.clamp_(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        (is_open,) = ctx.saved_tensors
        return grad_output * is_open
