"""Expects that a declared Function is never silently wrong.

Meets: scaled, grad: the cut one is left out without a word
"""

import torch
from torch.autograd.function import once_differentiable


class BatchNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        centred = x - x.mean(0)
        deviation = (centred.square().mean(0) + 1e-5).sqrt()
        normed = centred / deviation
        ctx.save_for_backward(normed, deviation)
        return normed

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        normed, deviation = ctx.saved_tensors
        along = (grad_output * normed).mean(0)
        return (grad_output - grad_output.mean(0) - normed * along) / deviation


def predictions():
    return {"cubes": "B", "cubes, grad": "C", "weights": "A", "no graph": "A", "scaled, grad": "C"}
