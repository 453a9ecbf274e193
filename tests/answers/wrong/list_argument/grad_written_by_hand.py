"""With a dummy, and backward writes .grad itself.

Meets: tracked: does not look into a list
"""

import torch


class SquaredNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, tensors, dummy):
        ctx.tensors = tensors
        return sum((t * t).sum() for t in tensors)

    @staticmethod
    def backward(ctx, grad_output):
        for t in ctx.tensors:
            t.grad = 2 * grad_output * t
        return None, grad_output * 0


def squared_norm(tensors):
    dummy = torch.zeros((), requires_grad=True, dtype=tensors[0].dtype, device=tensors[0].device)
    return SquaredNorm.apply(tensors, dummy)
