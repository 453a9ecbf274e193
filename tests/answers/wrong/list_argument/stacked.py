"""torch.stack takes tensors of one shape only.

Meets: value: The sum of the squares
"""

import torch


class SquaredNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return (x * x).sum()

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return 2 * grad_output * x


def squared_norm(tensors):
    return SquaredNorm.apply(torch.stack(list(tensors)))
