"""Gradients are returned for those tensors alone that need one, so that they slip to other places.

Meets: frozen: as many gradients as there are tensors
"""

import torch


class SquaredNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, *tensors):
        ctx.save_for_backward(*tensors)
        return sum((t * t).sum() for t in tensors)

    @staticmethod
    def backward(ctx, grad_output):
        return tuple(
            2 * grad_output * t for t, needed in zip(ctx.saved_tensors, ctx.needs_input_grad) if needed
        )


def squared_norm(tensors):
    return SquaredNorm.apply(*tensors)
