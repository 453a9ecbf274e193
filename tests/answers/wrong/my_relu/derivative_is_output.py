"""The value of the function is used in place of its derivative.

Meets: upstream: You multiply by the value of ReLU
Source: https://github.com/torch/torch7/issues/232
"""

import torch


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        output = input.clamp(min=0)
        ctx.save_for_backward(output)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        (output,) = ctx.saved_tensors
        return grad_output * output
