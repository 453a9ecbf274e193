"""log(1 + z) where z is tiny: the digits are gone before the logarithm sees them.

Meets: digits: torch.log1p(z) is log(1 + z) without the sum
"""

import torch


class Log1pExp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return input.clamp(min=0) + torch.log(1 + torch.exp(-input.abs()))

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        return grad_output * torch.sigmoid(input)
