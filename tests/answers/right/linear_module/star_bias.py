"""Forward(ctx, input, weight, *bias): returns as many gradients as it was given arguments."""

import torch
from torch import nn


class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight, *bias):
        ctx.save_for_backward(input, weight)
        ctx.bias = [b is not None for b in bias]
        out = input.mm(weight.t())
        if bias and bias[0] is not None:
            out = out + bias[0]
        return out

    @staticmethod
    def backward(ctx, grad_output):
        input, weight = ctx.saved_tensors
        return (grad_output.mm(weight), grad_output.t().mm(input), *(grad_output.sum(0) if b else None for b in ctx.bias))


class Linear(nn.Module):
    def __init__(self, input_features, output_features, bias=True):
        super().__init__()
        self.input_features = input_features
        self.output_features = output_features
        self.weight = nn.Parameter(torch.empty(output_features, input_features))
        if bias:
            self.bias = nn.Parameter(torch.empty(output_features))
        else:
            self.register_parameter("bias", None)
        nn.init.uniform_(self.weight, -0.1, 0.1)
        if self.bias is not None:
            nn.init.uniform_(self.bias, -0.1, 0.1)

    def forward(self, input):
        return LinearFunction.apply(input, self.weight, self.bias)
