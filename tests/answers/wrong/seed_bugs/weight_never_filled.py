"""The repair lost the line that fills the bias.

Meets: initialised: keep the seed's uniform_
"""

import torch
from torch import nn


def failing_lines():
    return {
        "import": "nn.Module",
        "bias=False": "Linear(4, 3, bias=False)",
        "one output": "Linear(4, 1)(torch.ones(2, 4)).sum().backward()",
        "2-D only": "Linear(4, 3)(torch.ones(2, 5, 4))",
    }


def repaired():
    class LinearFunction(torch.autograd.Function):
        @staticmethod
        def forward(ctx, input, weight, bias=None):
            ctx.save_for_backward(input, weight, bias)
            output = input @ weight.t()
            if bias is not None:
                output = output + bias
            return output

        @staticmethod
        def backward(ctx, grad_output):
            input, weight, bias = ctx.saved_tensors
            upstream = grad_output.reshape(-1, grad_output.shape[-1])
            grad_input = grad_weight = grad_bias = None
            if ctx.needs_input_grad[0]:
                grad_input = grad_output @ weight
            if ctx.needs_input_grad[1]:
                grad_weight = upstream.t() @ input.reshape(-1, input.shape[-1])
            if bias is not None and ctx.needs_input_grad[2]:
                grad_bias = upstream.sum(0)
            return grad_input, grad_weight, grad_bias

    class Linear(nn.Module):
        def __init__(self, input_features, output_features, bias=True):
            super().__init__()
            self.weight = nn.Parameter(torch.Tensor(output_features, input_features))
            if bias:
                self.bias = nn.Parameter(torch.Tensor(output_features))
            else:
                self.register_parameter("bias", None)
            self.weight.data.uniform_(-0.1, 0.1)
            # nothing to fill

        def forward(self, input):
            return LinearFunction.apply(input, self.weight, self.bias)

    return LinearFunction, Linear
