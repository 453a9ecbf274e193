"""needs_input_grad as if ctx were argument 0.

Meets: asked for: needs_input_grad does not count ctx
Source: https://github.com/pytorch/pytorch/issues/2536
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
        grad_input = grad_weight = grad_bias = None
        if ctx.needs_input_grad[1]:
            grad_input = grad_output @ weight
        if ctx.needs_input_grad[2]:
            grad_weight = grad_output.t() @ input
        if bias is not None:
            grad_bias = grad_output.sum(0)
        return grad_input, grad_weight, grad_bias
