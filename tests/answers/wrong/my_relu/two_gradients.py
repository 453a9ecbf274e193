"""backward returns one gradient too many.

Meets: returned: one gradient too many
Source: https://github.com/huawei-noah/AdderNet/issues/21
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
        grad_input = grad_output * (input > 0)
        return grad_output, grad_input
