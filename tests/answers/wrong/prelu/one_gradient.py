"""One gradient for two arguments.

Meets: returned: one gradient for each argument
"""

import torch
from torch import nn


class PReLUFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight):
        ctx.save_for_backward(input, weight)
        return torch.where(input > 0, input, weight * input)

    @staticmethod
    def backward(ctx, grad_output):
        input, weight = ctx.saved_tensors
        return torch.where(input > 0, grad_output, weight * grad_output)


class PReLU(nn.Module):
    def __init__(self, init=0.25):
        super().__init__()
        self.weight = nn.Parameter(torch.tensor([float(init)]))

    def forward(self, input):
        return PReLUFunction.apply(input, self.weight)
