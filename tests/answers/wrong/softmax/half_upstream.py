"""1 in the place of grad_output, before the sum.

Meets: upstream: Outside the sum grad_output is missing
"""

import torch


class Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        powers = (x - x.amax(-1, keepdim=True)).exp()
        y = powers / powers.sum(-1, keepdim=True)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        (y,) = ctx.saved_tensors
        return y * (1 - (grad_output * y).sum(-1, keepdim=True))
