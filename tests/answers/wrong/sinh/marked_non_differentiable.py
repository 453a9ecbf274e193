"""The exponentials are marked as non-differentiable outputs.

Meets: forward: forward returns sinh(x), exp(x) and exp(-x)
"""

import torch


class Sinh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        grown, shrunk = x.exp(), (-x).exp()
        ctx.mark_non_differentiable(grown, shrunk)
        ctx.save_for_backward(grown, shrunk)
        return (grown - shrunk) / 2, grown, shrunk

    @staticmethod
    def backward(ctx, grad_sinh, grad_grown, grad_shrunk):
        grown, shrunk = ctx.saved_tensors
        return grad_sinh * (grown + shrunk) / 2
