"""A gradient for the indices is returned too, as if they were an input.

Meets: upstream: one gradient for each input
"""

import torch


class Sort(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        values, indices = torch.sort(input)
        ctx.mark_non_differentiable(indices)
        ctx.save_for_backward(indices)
        return values, indices

    @staticmethod
    def backward(ctx, grad_values, grad_indices):
        (indices,) = ctx.saved_tensors
        grad_input = torch.zeros_like(grad_values).scatter(-1, indices, grad_values)
        return grad_input, grad_indices
