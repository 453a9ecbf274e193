"""Whether there is a bias is kept on the class: a second layer overwrites it before the first goes back.

Meets: two layers: keep it on ctx
"""

import torch


class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight, bias=None):
        ctx.save_for_backward(input, weight)
        LinearFunction.has_bias = bias is not None
        output = input @ weight.t()
        return output if bias is None else output + bias

    @staticmethod
    def backward(ctx, grad_output):
        input, weight = ctx.saved_tensors
        return grad_output @ weight, grad_output.t() @ input, grad_output.sum(0) if LinearFunction.has_bias else None
