"""backward recomputes the deviation, and is declared all the same."""

import torch
from torch.autograd.function import once_differentiable


class BatchNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        centred = x - x.mean(0)
        return centred / (centred.square().mean(0) + 1e-5).sqrt()

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        with torch.enable_grad():
            x = x.detach().requires_grad_()
            centred = x - x.mean(0)
            y = centred / (centred.square().mean(0) + 1e-5).sqrt()
        return torch.autograd.grad(y, x, grad_output)[0]


def predictions():
    return {"cubes": "B", "cubes, grad": "C", "weights": "A", "no graph": "A", "scaled, grad": "none"}
