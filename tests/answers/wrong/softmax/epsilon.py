"""A small number is added to the sum, so rows do not add up to 1.

Meets: forward: Right to about eight digits
"""

import torch


class Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        powers = (x - x.amax(-1, keepdim=True)).exp()
        y = powers / (powers.sum(-1, keepdim=True) + 1e-8)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        (y,) = ctx.saved_tensors
        return y * (grad_output - (grad_output * y).sum(-1, keepdim=True))
