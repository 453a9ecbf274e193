"""Asks for None, and handles it."""

import torch


class Sort(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.set_materialize_grads(False)
        values, indices = torch.sort(input)
        ctx.mark_non_differentiable(indices)
        ctx.save_for_backward(indices)
        return values, indices

    @staticmethod
    def backward(ctx, grad_values, grad_indices):
        if grad_values is None:
            return None
        (indices,) = ctx.saved_tensors
        return torch.scatter(grad_values.new_zeros(grad_values.shape), -1, indices, grad_values)
