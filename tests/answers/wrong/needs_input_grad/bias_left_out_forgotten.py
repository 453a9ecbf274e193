"""needs_input_grad has two places where the bias is left out.

Meets: upstream: one entry for each argument handed over
"""

import torch


class FrugalLinear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight, bias=None):
        ctx.save_for_backward(input, weight)
        output = input @ weight.t()
        return output if bias is None else output + bias

    @staticmethod
    def backward(ctx, grad_output):
        input, weight = ctx.saved_tensors
        needs = ctx.needs_input_grad
        return (
            grad_output @ weight if needs[0] else None,
            grad_output.t() @ input if needs[1] else None,
            grad_output.sum(0) if needs[2] else None,
        )
