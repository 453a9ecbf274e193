"""The Module stores its weight as (in, out) and a matching Function uses input.mm(weight): consistent in itself, but not
the asked-for convention, so weights cannot be exchanged with nn.Linear.

Meets: parameters: Your weight is (in, out)
Source: https://github.com/LazaroHurtado/micrograd-rs/pull/31
"""

import torch


class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight, bias=None):
        ctx.save_for_backward(input, weight, bias)
        output = input.mm(weight)
        return output if bias is None else output + bias

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, bias = ctx.saved_tensors
        return grad_output.mm(weight.t()), input.t().mm(grad_output), None if bias is None else grad_output.sum(0)


class Linear(torch.nn.Module):
    def __init__(self, input_features, output_features, bias=True):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.empty(input_features, output_features).uniform_(-0.1, 0.1))
        self.bias = torch.nn.Parameter(torch.zeros(output_features)) if bias else None

    def forward(self, input):
        return LinearFunction.apply(input, self.weight, self.bias)
