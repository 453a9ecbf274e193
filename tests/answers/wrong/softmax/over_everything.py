"""All numbers share one sum.

Meets: forward: You divide by the sum of all
"""

import torch


class Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        powers = (x - x.max()).exp() if x.numel() else x.exp()
        y = powers / powers.sum()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        (y,) = ctx.saved_tensors
        return y * (grad_output - (grad_output * y).sum(-1, keepdim=True))
