"""Zeros in place of None for what is not asked for.

Meets: asked for: Nobody asked for this gradient
"""

import torch


class FrugalLinear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight, bias=None):
        ctx.save_for_backward(input, weight, bias)
        output = input @ weight.t()
        return output if bias is None else output + bias

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, bias = ctx.saved_tensors
        needs = ctx.needs_input_grad
        grad_input = grad_output @ weight if needs[0] else torch.zeros_like(input)
        grad_weight = grad_output.t() @ input if needs[1] else torch.zeros_like(weight)
        grad_bias = None if bias is None else grad_output.sum(0) if needs[2] else torch.zeros_like(bias)
        return grad_input, grad_weight, grad_bias
