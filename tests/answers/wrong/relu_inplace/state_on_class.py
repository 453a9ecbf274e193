"""The mask sits on the class.

Meets: calls apart: Two calls share something
"""

import torch


class ReLUInPlace(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ReLUInPlace.is_open = input > 0
        ctx.mark_dirty(input)
        return input.clamp_(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ReLUInPlace.is_open
