"""Only the values are returned.

Meets: outputs: what torch.sort gives
"""

import torch


class Sort(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        values, indices = torch.sort(input)
        ctx.save_for_backward(indices)
        return values

    @staticmethod
    def backward(ctx, grad_values):
        (indices,) = ctx.saved_tensors
        return torch.zeros_like(grad_values).scatter(-1, indices, grad_values)
