"""Hands the tensors over in an order of its own."""

import torch


class SquaredNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, *tensors):
        ctx.save_for_backward(*tensors)
        return sum((t * t).sum() for t in tensors)

    @staticmethod
    def backward(ctx, grad_output):
        return tuple(2 * grad_output * t for t in ctx.saved_tensors)


def squared_norm(tensors):
    return SquaredNorm.apply(*sorted(tensors, key=torch.numel))
