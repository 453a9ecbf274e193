"""The upstream gradient is clipped at ten, which no small number shows.

Meets: upstream: got [10.
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
        return grad_output.clamp(-10, 10) * (input > 0)
