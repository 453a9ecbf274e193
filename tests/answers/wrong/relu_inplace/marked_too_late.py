"""mark_dirty is called in backward.

Meets: same object: call ctx.mark_dirty
"""

import torch


class ReLUInPlace(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input > 0)
        return input.clamp_(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        (is_open,) = ctx.saved_tensors
        ctx.mark_dirty(grad_output)
        return grad_output * is_open
