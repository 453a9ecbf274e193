"""backward uses a name of forward.

Meets: returned: ctx.slope = slope
"""

import torch


class LeakyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, slope):
        ctx.save_for_backward(input)
        return torch.where(input > 0, input, slope * input)

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        return torch.where(input > 0, grad_output, slope * grad_output), None
