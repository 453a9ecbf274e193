"""The weight gradient is turned round when its shape does not fit: three of each, and it stays transposed.

Meets: shapes: three of each
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
        grad_weight = input.t() @ grad_output
        if grad_weight.shape != weight.shape:
            grad_weight = grad_weight.t()
        return grad_output @ weight, grad_weight, None if bias is None else grad_output.sum(0)
