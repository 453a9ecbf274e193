"""Marked as they should be, but floats: nobody can index with them.

Meets: outputs: what torch.sort gives
"""

import torch


class Sort(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        values, indices = torch.sort(input)
        ranks = indices.to(input.dtype)
        ctx.mark_non_differentiable(ranks)
        ctx.save_for_backward(indices)
        return values, ranks

    @staticmethod
    def backward(ctx, grad_values, grad_indices):
        (indices,) = ctx.saved_tensors
        return torch.zeros_like(grad_values).scatter(-1, indices, grad_values)
