"""The deviation is recomputed, so that a second derivative exists: more than was asked, and not what was asked.

Meets: declared: there is nothing to declare
"""

import torch


class BatchNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        centred = x - x.mean(0)
        return centred / (centred.square().mean(0) + 1e-5).sqrt()

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        centred = x - x.mean(0)
        deviation = (centred.square().mean(0) + 1e-5).sqrt()
        normed = centred / deviation
        along = (grad_output * normed).mean(0)
        return (grad_output - grad_output.mean(0) - normed * along) / deviation


def predictions():
    return {"cubes": "B", "cubes, grad": "C", "weights": "A", "no graph": "A", "scaled, grad": "none"}
