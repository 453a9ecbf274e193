"""Finds places by equality, so that equal elements count twice.

Meets: ties: save the indices of forward
"""

import torch


class Sort(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        values, indices = torch.sort(input)
        ctx.mark_non_differentiable(indices)
        ctx.save_for_backward(input, values)
        return values, indices

    @staticmethod
    def backward(ctx, grad_values, grad_indices):
        input, values = ctx.saved_tensors
        same = (input.unsqueeze(-2) == values.unsqueeze(-1)).to(grad_values.dtype)
        return (grad_values.unsqueeze(-1) * same).sum(-2)
