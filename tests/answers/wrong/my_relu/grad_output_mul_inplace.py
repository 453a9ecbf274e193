"""grad_output *= mask: the augmented assignment writes into the engine's tensor; with an expanded gradient (from sum) it
raises instead.

Meets: upstream untouched: Work on a copy
Source: https://github.com/pytorch/pytorch/issues/30454
"""

import torch


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return input.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        grad_output *= input > 0
        return grad_output
