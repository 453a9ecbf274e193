"""Lets autograd differentiate clamp + log1p(exp(-abs)): at 0 two kinks do not cancel.

Meets: upstream: two kinks that cancel in the sum
"""

import torch


class Log1pExp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return input.clamp(min=0) + torch.log1p(torch.exp(-input.abs()))

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        with torch.enable_grad():
            x = input.detach().requires_grad_()
            y = x.clamp(min=0) + torch.log1p(torch.exp(-x.abs()))
        return torch.autograd.grad(y, x, grad_output)[0]
