"""What backward needs waits on a stack of the class.

Meets: stale: not guarded against later changes
"""

import torch


class LeakyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, slope):
        LeakyReLU.s.append((input, slope))
        return torch.where(input > 0, input, slope * input)

    @staticmethod
    def backward(ctx, grad_output):
        input, slope = LeakyReLU.s.pop()
        return torch.where(input > 0, grad_output, slope * grad_output), None

    s = []
