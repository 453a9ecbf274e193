"""The decorator above staticmethod, which Python 3.10 and later allow; a lambda for the predictions."""

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

    @once_differentiable
    @staticmethod
    def backward(ctx, grad_output):
        normed, deviation = ctx.saved_tensors
        along = (grad_output * normed).mean(0)
        return (grad_output - grad_output.mean(0) - normed * along) / deviation


predictions = lambda: {"cubes": "B", "cubes, grad": "C", "weights": "A", "no graph": "A", "scaled, grad": "none"}  # noqa: E731
