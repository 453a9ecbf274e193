"""The absolute value of the upstream gradient; gradcheck accepts it.

Meets: upstream: The sign of grad_output is lost
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
        return grad_output.abs() * (input > 0)
