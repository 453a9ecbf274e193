"""backward returns the local derivative only and does not multiply by grad_output. Invisible with loss = y.sum(), the
test used in seed 000.

Meets: upstream: backward ignores grad_output
Source: https://github.com/pytorch/pytorch/issues/4355
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
        return (input > 0).to(input.dtype)
