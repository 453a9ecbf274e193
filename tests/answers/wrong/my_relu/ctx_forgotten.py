"""The static method's parameter is ctx, but the body says self.

Meets: returned: The first parameter is ctx here
Source: https://github.com/pytorch/pytorch/issues/2536
"""

import torch


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return input.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = self.saved_tensors
        return grad_output * (input > 0)
