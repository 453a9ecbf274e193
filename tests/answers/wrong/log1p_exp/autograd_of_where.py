"""Lets autograd differentiate a torch.where whose other branch is infinite: NaN.

Meets: upstream: infinite in the branch that is masked
"""

import torch


class Log1pExp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return torch.where(input > 20, input, torch.log1p(torch.exp(input)))

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        with torch.enable_grad():
            x = input.detach().requires_grad_()
            y = torch.where(x > 20, x, torch.log1p(torch.exp(x)))
        return torch.autograd.grad(y, x, grad_output)[0]
