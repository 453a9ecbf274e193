"""The upstream gradient is detached, so a second derivative is lost.

Meets: second order: backward leaves the graph
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
        g = grad_values.detach()
        return torch.zeros_like(g).scatter(-1, indices, g)
