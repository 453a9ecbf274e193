"""x itself from 10 on, where the rest is still 5e-5.

Meets: digits: too early
"""

import torch


class Log1pExp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return torch.where(input > 10, input, torch.log1p(torch.exp(input)))

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        return grad_output * torch.sigmoid(input)
