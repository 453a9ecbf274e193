"""Indexed assignment is right for one row; in a matrix it picks whole rows.

Meets: upstream: belongs to the place that the value came from
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
        grad_input = torch.zeros_like(grad_values)
        if grad_values.dim() == 1:
            grad_input[indices] = grad_values
        else:
            grad_input[indices[:, 0] % len(grad_values)] = grad_values
        return grad_input
