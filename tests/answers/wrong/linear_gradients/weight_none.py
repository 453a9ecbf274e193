"""The weight never gets a gradient.

Meets: returned: The weight gets no gradient
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
        _, weight, bias = ctx.saved_tensors
        return grad_output @ weight, None, None if bias is None else grad_output.sum(0)
