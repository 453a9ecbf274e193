"""max(x, wx) is PReLU only while the slope is below 1 and above 0: gone wrong with the sign of the output.

Meets: upstream: not the upstream gradient times the local derivative
"""

import torch
from torch import nn


class PReLUFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight):
        output = torch.where(input > 0, input, weight * input)
        ctx.save_for_backward(output, weight)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        output, weight = ctx.saved_tensors
        open_gate = output > 0
        grad_input = torch.where(open_gate, grad_output, weight * grad_output)
        return grad_input, torch.where(open_gate, 0, grad_output * output / weight).sum().reshape(1)


class PReLU(nn.Module):
    def __init__(self, init=0.25):
        super().__init__()
        self.weight = nn.Parameter(torch.tensor([float(init)]))

    def forward(self, input):
        return PReLUFunction.apply(input, self.weight)
