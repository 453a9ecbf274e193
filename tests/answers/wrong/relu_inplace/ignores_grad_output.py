"""backward returns the mask alone.

Meets: history: ignores grad_output
"""

import torch


class ReLUInPlace(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input > 0)
        ctx.mark_dirty(input)
        return input.clamp_(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        (is_open,) = ctx.saved_tensors
        return is_open.to(grad_output.dtype)
