"""The indices sit on the class.

Meets: calls apart: Two calls share something
"""

import torch


class Sort(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        values, indices = torch.sort(input)
        ctx.mark_non_differentiable(indices)
        Sort.indices = indices.clone()
        return values, indices

    @staticmethod
    def backward(ctx, grad_values, grad_indices):
        indices = Sort.indices
        return torch.zeros_like(grad_values).scatter(-1, indices, grad_values)
