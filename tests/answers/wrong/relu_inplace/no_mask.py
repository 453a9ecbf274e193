"""backward lets everything through.

Meets: history: Where is the mask
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
        return grad_output.clone()
