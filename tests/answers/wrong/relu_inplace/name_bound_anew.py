"""input = input.clamp(min=0) makes a new tensor of that name.

Meets: same object: changes the tensor
"""

import torch


class ReLUInPlace(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        input = input.clamp(min=0)
        ctx.save_for_backward(input > 0)
        return input

    @staticmethod
    def backward(ctx, grad_output):
        (is_open,) = ctx.saved_tensors
        return grad_output * is_open
