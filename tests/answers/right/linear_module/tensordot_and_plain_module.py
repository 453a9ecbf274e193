"""Tensordot; Module with plain attributes, self.bias = None, other initialisation."""

import torch
from torch import nn


class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight, bias=None):
        ctx.save_for_backward(input, weight, bias)
        out = torch.tensordot(input, weight, dims=([1], [1]))
        return out if bias is None else torch.add(out, bias)

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, bias = ctx.saved_tensors
        grad_weight = torch.tensordot(grad_output, input, dims=([0], [0]))
        return torch.tensordot(grad_output, weight, 1), grad_weight, None if bias is None else grad_output.sum(0)


class Linear(nn.Module):
    def __init__(self, input_features, output_features, bias=True):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(output_features, input_features) / input_features**0.5)
        self.bias = nn.Parameter(torch.zeros(output_features)) if bias else None

    def forward(self, x):
        if self.bias is None:
            return LinearFunction.apply(x, self.weight)
        return LinearFunction.apply(x, self.weight, self.bias)
