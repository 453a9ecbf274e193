"""The input comes back as output / weight: nan for a slope of 0.

Meets: upstream: not the upstream gradient times the local derivative
"""

import torch
from torch import nn


class PReLUFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight):
        """Return input where it is positive, weight * input elsewhere."""
        ctx.save_for_backward(input, weight)
        return torch.where(input > 0, input, weight * input)

    @staticmethod
    def backward(ctx, grad_output):
        """Return the gradients for input (its shape) and weight (1,)."""
        input, weight = ctx.saved_tensors
        grad_input = torch.where(input > 0, grad_output, weight * grad_output)
        # one slope stands in every negative element, so its gradient is the sum over all of them
        grad_weight = torch.where(input > 0, 0, grad_output * (weight * input) / weight).sum().reshape(weight.shape)
        return grad_input, grad_weight


class PReLU(nn.Module):
    """PReLU with one learned slope."""

    def __init__(self, init=0.25):
        super().__init__()
        self.weight = nn.Parameter(torch.full((1,), float(init)))

    def forward(self, input):
        return PReLUFunction.apply(input, self.weight)
