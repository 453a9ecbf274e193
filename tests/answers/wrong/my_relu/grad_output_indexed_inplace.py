"""clone() is left out: grad_output itself is zeroed. Other branches that share the same gradient tensor are corrupted.

Meets: upstream untouched: Work on a copy
Source: https://github.com/pytorch/pytorch/issues/81417
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
        grad_input = grad_output
        grad_input[input < 0] = 0
        return grad_input
