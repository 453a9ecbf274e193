"""torch.tensor copies numbers and drops the graph.

Meets: tracked: does not look into a list
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
    numbers = [number for t in tensors for number in t.reshape(-1).tolist()]
    return SquaredNorm.apply(torch.tensor(numbers, dtype=tensors[0].dtype, device=tensors[0].device, requires_grad=True))
