"""The value is right, and a clamp bends the slope: far left it stays at 2e-9.

Meets: digits: The clamp bends it
"""

import torch


class Log1pExp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return torch.logaddexp(input, torch.zeros_like(input))

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        return grad_output * torch.sigmoid(input.clamp(-30, 30))
