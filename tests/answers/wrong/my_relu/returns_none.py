"""backward returns nothing (the return statement is missing), so the gradient silently stays None.

Meets: returned: is a return missing?
Source: https://github.com/pytorch/pytorch/issues/95678
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
        grad_input = grad_output.clone()
        grad_input[input < 0] = 0
