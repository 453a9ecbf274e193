"""Declared once_differentiable, where a second derivative is what is asked for.

Meets: second derivative: no @once_differentiable
"""

import torch
from torch.autograd.function import once_differentiable


class Sinh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        grown, shrunk = x.exp(), (-x).exp()
        ctx.save_for_backward(grown, shrunk)
        return (grown - shrunk) / 2, grown, shrunk

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_sinh, grad_grown, grad_shrunk):
        grown, shrunk = ctx.saved_tensors
        return grad_sinh * (grown + shrunk) / 2 + grad_grown * grown - grad_shrunk * shrunk
