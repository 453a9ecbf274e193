"""Computes all, then returns None for what is not asked for.

Meets: work: computes a gradient that nobody asked for
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
        grads = [grad_output @ weight, grad_output.t() @ input, None if bias is None else grad_output.sum(0)]
        return tuple(grad if needs else None for grad, needs in zip(grads, (*ctx.needs_input_grad, False), strict=False))
