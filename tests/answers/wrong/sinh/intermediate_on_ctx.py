"""One output; the exponentials are saved, though they are neither input nor output: the second derivative is silently wrong.

Meets: form: what backward saves must be an input or an output
Source: https://github.com/pytorch/pytorch/issues/58509
"""

import torch


class Sinh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        grown, shrunk = x.exp(), (-x).exp()
        ctx.save_for_backward(grown, shrunk)
        return (grown - shrunk) / 2

    @staticmethod
    def backward(ctx, grad_output):
        grown, shrunk = ctx.saved_tensors
        return grad_output * (grown + shrunk) / 2
