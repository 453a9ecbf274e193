"""`bias.any()` asks whether a number is not 0: a bias that starts as zeros never learns.

Meets: shapes: bias of zeros
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
        return grad_output @ weight, grad_output.t() @ input, (grad_output.sum(0) if bias is not None and bias.any() else None)
