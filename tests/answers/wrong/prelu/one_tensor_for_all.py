"""All PReLUs that begin at 0.25 share one tensor.

Meets: parameter: 1 added to the weight of another
"""

import torch
from torch import nn

INIT = torch.full((1,), 0.25)


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
        self.weight = nn.Parameter(INIT if init == 0.25 else torch.full((1,), float(init)))

    def forward(self, input):
        return PReLUFunction.apply(input, self.weight)
