"""input and weight are attributes of ctx: an in-place change after forward goes unnoticed.

Meets: stale: not guarded against later changes
"""

import torch


class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight, bias=None):
        ctx.input, ctx.weight, ctx.has_bias = input, weight, bias is not None
        output = input @ weight.t()
        return output if bias is None else output + bias

    @staticmethod
    def backward(ctx, grad_output):
        grad_bias = grad_output.sum(0) if ctx.has_bias else None
        return grad_output @ ctx.weight, grad_output.t() @ ctx.input, grad_bias
