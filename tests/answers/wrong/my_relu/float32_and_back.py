"""A detour through float32: right to seven digits.

Meets: upstream: somewhere a float32 slips in
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
        return (grad_output.float() * (input > 0)).to(grad_output.dtype)
