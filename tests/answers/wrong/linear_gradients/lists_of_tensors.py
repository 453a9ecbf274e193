"""The parameters are passed to apply inside a list; autograd does not look into lists, so they silently get no gradient.

Meets: forward: autograd does not look into a list
Source: https://github.com/pytorch/pytorch/issues/89801
"""

import torch


class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, params):
        weight, bias = params
        ctx.save_for_backward(input, weight, bias)
        output = input.mm(weight.t())
        return output if bias is None else output + bias

    @staticmethod
    def backward(ctx, grad_output):
        _, weight, _ = ctx.saved_tensors
        return grad_output.mm(weight), None


class Linear(torch.nn.Module):
    def __init__(self, input_features, output_features, bias=True):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.empty(output_features, input_features).uniform_(-0.1, 0.1))
        self.bias = torch.nn.Parameter(torch.zeros(output_features)) if bias else None

    def forward(self, input):
        return LinearFunction.apply(input, [self.weight, self.bias])
