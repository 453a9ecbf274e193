"""The absolute value of grad_output.

Meets: upstream: not the upstream gradient times the local derivative
"""

import torch


class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight, bias=None):
        ctx.save_for_backward(input, weight, bias)
        output = input @ weight.t()
        return output if bias is None else output + bias

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, bias = ctx.saved_tensors
        g = grad_output.abs()
        return g @ weight, g.t() @ input, None if bias is None else g.sum(0)
