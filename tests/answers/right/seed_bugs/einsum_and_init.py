"""The layer rewritten: einsum over any leading dimensions, nn.init, and lines that call for other shapes."""

import torch
from torch import nn
from torch.nn import functional


def failing_lines():
    return {
        "import": "nn.Parameter(torch.zeros(2))",
        "bias=False": "Linear(1, 2, False)",
        "one output": "Linear(3, 1)(torch.randn(5, 3)).pow(2).mean().backward()",
        "2-D only": "Linear(3, 2)(torch.zeros(7, 1, 4, 3))",
    }


def repaired():
    class LinearFunction(torch.autograd.Function):
        @staticmethod
        def forward(ctx, input, weight, bias=None):
            ctx.save_for_backward(input, weight)
            return functional.linear(input, weight, bias)

        @staticmethod
        def backward(ctx, grad_output):
            input, weight = ctx.saved_tensors
            needs = (*ctx.needs_input_grad, False)
            return (
                torch.einsum("...o,oi->...i", grad_output, weight) if needs[0] else None,
                torch.einsum("...o,...i->oi", grad_output, input) if needs[1] else None,
                torch.einsum("...o->o", grad_output) if needs[2] else None,
            )[: len(ctx.needs_input_grad)]

    class Linear(nn.Module):
        def __init__(self, input_features, output_features, bias=True):
            super().__init__()
            self.weight = nn.Parameter(torch.empty(output_features, input_features))
            self.bias = nn.Parameter(torch.empty(output_features)) if bias else None
            for parameter in self.parameters():
                nn.init.uniform_(parameter, -0.1, 0.1)

        def forward(self, input):
            return LinearFunction.apply(input, self.weight, self.bias)

    return LinearFunction, Linear
