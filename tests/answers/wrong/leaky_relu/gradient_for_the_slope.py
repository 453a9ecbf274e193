"""Returns a tensor for slope, which is no tensor.

Meets: returned: returns one gradient for each argument
"""

import torch


class LeakyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, slope):
        ctx.save_for_backward(input)
        ctx.slope = slope
        return torch.where(input > 0, input, slope * input)

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        return torch.where(input > 0, grad_output, ctx.slope * grad_output), (grad_output * input).sum()
