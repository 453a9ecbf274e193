"""setup_context style; the deviation kept as an extra output that nobody differentiates is not needed: attributes of ctx."""

import torch
from torch.autograd.function import once_differentiable


class BatchNorm(torch.autograd.Function):
    @staticmethod
    def forward(x):
        var, mean = torch.var_mean(x, 0, correction=0)
        return (x - mean) * (var + 1e-5).rsqrt()

    @staticmethod
    def setup_context(ctx, inputs, output):
        (x,) = inputs
        deviation = (x.var(0, correction=0) + 1e-5).sqrt()
        ctx.save_for_backward(output, deviation)

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        normed, deviation = ctx.saved_tensors
        return (g - g.mean(0) - normed * (g * normed).mean(0)) / deviation


def predictions():
    return dict(zip(["cubes", "cubes, grad", "weights", "no graph", "scaled, grad"], "B C A A none".split()))
