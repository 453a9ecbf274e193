"""The slope as 1 - exp(-output): right, but far left two numbers that are almost equal are subtracted.

Meets: digits: subtract two numbers that are almost equal
"""

import torch


class Log1pExp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        output = torch.logaddexp(input, torch.zeros_like(input))
        ctx.save_for_backward(output)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        (output,) = ctx.saved_tensors
        return grad_output * (1 - torch.exp(-output))
