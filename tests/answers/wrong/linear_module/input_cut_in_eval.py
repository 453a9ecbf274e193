"""In eval() the input is cut off: whatever stands before the layer gets no gradient there.

Meets: numbers: Pass input, self.weight
"""

import torch
from torch import nn


class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight, bias=None):
        ctx.save_for_backward(input, weight, bias)
        output = input @ weight.t()
        return output if bias is None else output + bias

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, bias = ctx.saved_tensors
        grad_input = grad_output @ weight if ctx.needs_input_grad[0] else None
        grad_weight = grad_output.t() @ input if ctx.needs_input_grad[1] else None
        grad_bias = grad_output.sum(0) if bias is not None and ctx.needs_input_grad[2] else None
        return grad_input, grad_weight, grad_bias


class Linear(nn.Module):
    """A layer of output_features sums over input_features inputs, computed by LinearFunction."""

    def __init__(self, input_features, output_features, bias=True):
        super().__init__()
        self.input_features, self.output_features = input_features, output_features
        # torch.empty holds whatever was in memory, so it is filled at once
        self.weight = nn.Parameter(torch.empty(output_features, input_features).uniform_(-0.1, 0.1))
        if bias:
            self.bias = nn.Parameter(torch.empty(output_features).uniform_(-0.1, 0.1))
        else:
            self.register_parameter("bias", None)  # self.bias exists, and is None

    def forward(self, input):
        """Return input · weightᵀ + bias."""
        return LinearFunction.apply(input if self.training else input.detach(), self.weight, self.bias)

    def extra_repr(self):
        """Return what stands between the brackets of Linear(...)."""
        return f"{self.input_features}, {self.output_features}, bias={self.bias is not None}"
