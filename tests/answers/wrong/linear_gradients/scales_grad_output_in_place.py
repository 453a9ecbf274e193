"""backward scales grad_output in place, and leaves it scaled.

Meets: upstream untouched: backward wrote into grad_output
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
        grad_output.mul_(2)
        grad_bias = None if bias is None else grad_output.sum(0) / 2
        return grad_output @ weight / 2, grad_output.t() @ input / 2, grad_bias
