"""The input is changed and a copy returned, so that torch does not complain.

Meets: same object: a copy of it returned
"""

import torch


class ReLUInPlace(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input > 0)
        input.clamp_(min=0)
        return input.clone()

    @staticmethod
    def backward(ctx, grad_output):
        (is_open,) = ctx.saved_tensors
        return grad_output * is_open
