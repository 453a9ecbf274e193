"""Saves the inverse permutation and gathers."""

import torch


class Sort(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        values, indices = input.sort(dim=-1)
        ctx.mark_non_differentiable(indices)
        ctx.save_for_backward(indices.argsort(dim=-1))
        return values, indices

    @staticmethod
    def backward(ctx, grad_values, _):
        (inverse,) = ctx.saved_tensors
        return grad_values.gather(-1, inverse)
