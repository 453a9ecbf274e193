"""Loud by a Function of its own for the backward, which raises when it is differentiated."""

import torch


class Last(torch.autograd.Function):
    @staticmethod
    def forward(ctx, grad_output, normed, deviation):
        along = (grad_output * normed).mean(0)
        return (grad_output - grad_output.mean(0) - normed * along) / deviation

    @staticmethod
    def backward(ctx, *grads):
        raise RuntimeError("BatchNorm has no second derivative")


class BatchNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        centred = x - x.mean(0)
        deviation = (centred.square().mean(0) + 1e-5).sqrt()
        normed = centred / deviation
        ctx.save_for_backward(normed, deviation)
        return normed

    @staticmethod
    def backward(ctx, grad_output):
        return Last.apply(grad_output, *ctx.saved_tensors)


def predictions():
    return {"cubes": "B", "cubes, grad": "C", "weights": "A", "no graph": "A", "scaled, grad": "none"}
