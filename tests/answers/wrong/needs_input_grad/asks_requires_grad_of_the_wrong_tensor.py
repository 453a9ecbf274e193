"""Asks whether grad_output requires a gradient: it never does here.

Meets: asked for: ctx.needs_input_grad
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
        grad_input = grad_output @ weight if grad_output.requires_grad else None
        grad_weight = grad_output.t() @ input if grad_output.requires_grad else None
        return grad_input, grad_weight, None if bias is None else grad_output.sum(0)
