"""Negatives get 0.

Meets: upstream: slope times the gradient
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
        input, _ = ctx.saved_tensors
        return grad_output * (input > 0), torch.where(input > 0, 0, grad_output * input).sum().reshape(1)


class PReLU(nn.Module):
    def __init__(self, init=0.25):
        super().__init__()
        self.weight = nn.Parameter(torch.tensor([float(init)]))

    def forward(self, input):
        return PReLUFunction.apply(input, self.weight)
