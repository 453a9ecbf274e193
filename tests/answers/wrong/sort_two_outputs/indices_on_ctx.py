"""The indices on ctx: a change of them after forward goes unseen.

Meets: stale: use ctx.save_for_backward
"""

import torch


class Sort(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        values, indices = torch.sort(input)
        ctx.mark_non_differentiable(indices)
        ctx.indices = indices
        return values, indices

    @staticmethod
    def backward(ctx, grad_values, grad_indices):
        indices = ctx.indices
        return torch.zeros_like(grad_values).scatter(-1, indices, grad_values)
