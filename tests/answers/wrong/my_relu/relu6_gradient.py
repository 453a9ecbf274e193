"""The gradient of ReLU6: shut for large inputs.

Meets: upstream: not the upstream gradient times the local derivative
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
        return grad_output * ((input > 0) & (input < 6))
