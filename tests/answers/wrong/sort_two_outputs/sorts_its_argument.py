"""The input itself is sorted, and belongs to the caller.

Meets: outputs: changed its input in place
"""

import torch


class Sort(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        values, indices = torch.sort(input)
        input.copy_(values)
        ctx.mark_non_differentiable(indices)
        ctx.save_for_backward(indices)
        return values, indices

    @staticmethod
    def backward(ctx, grad_values, grad_indices):
        (indices,) = ctx.saved_tensors
        return torch.zeros_like(grad_values).scatter(-1, indices, grad_values)
