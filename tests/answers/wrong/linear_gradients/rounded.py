"""The input gradient is rounded to six decimals.

Meets: upstream: gradient of input
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
        grad_input = (grad_output @ weight).round(decimals=6)
        grad_weight = grad_output.t() @ input
        grad_bias = None if bias is None else grad_output.sum(0)
        return grad_input, grad_weight, grad_bias
