"""The decorator called as a function; predictions as a dict without a function around it is not asked: small letters."""

import torch
import torch.autograd.function


class BatchNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        centred = x - x.mean(0)
        deviation = (centred.square().mean(0) + 1e-5).sqrt()
        normed = centred / deviation
        ctx.save_for_backward(normed, deviation)
        return normed

    def backward(ctx, grad_output):
        normed, deviation = ctx.saved_tensors
        along = (grad_output * normed).mean(0)
        return (grad_output - grad_output.mean(0) - normed * along) / deviation

    backward = staticmethod(torch.autograd.function.once_differentiable(backward))


def predictions():
    return {"cubes": "b", "cubes, grad": "c", "weights": "a", "no graph": "a", "scaled, grad": "None"}
