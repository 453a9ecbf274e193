"""The Module hands over the absolute value of its slope.

Meets: module: self.weight
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
        grad_input = torch.where(input > 0, grad_output, weight * grad_output)
        grad_weight = torch.where(input > 0, 0, grad_output * input).sum().reshape(weight.shape)
        return grad_input, grad_weight


class PReLU(nn.Module):
    def __init__(self, init=0.25):
        super().__init__()
        self.weight = nn.Parameter(torch.full((1,), float(init)))

    def forward(self, input):
        return PReLUFunction.apply(input, self.weight.abs())
