"""A clamp keeps exp from overflowing, and bends the value.

Meets: forward: The clamp bends it
"""

import torch


class Log1pExp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return torch.log1p(torch.exp(input.clamp(max=50)))

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        return grad_output * torch.sigmoid(input)
