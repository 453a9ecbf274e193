"""The gradients of the two exponentials are ignored: the second derivative is 0.

Meets: upstream: backward ignores the gradients of the two exponentials
"""

import torch


class Sinh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        grown, shrunk = x.exp(), (-x).exp()
        ctx.save_for_backward(grown, shrunk)
        return (grown - shrunk) / 2, grown, shrunk

    @staticmethod
    def backward(ctx, grad_sinh, grad_grown, grad_shrunk):
        grown, shrunk = ctx.saved_tensors
        return grad_sinh * (grown + shrunk) / 2
