"""What is asked for is kept on the class in forward: the last call decides for all.

Meets: two layers: keep it on ctx
"""

import torch


class FrugalLinear(torch.autograd.Function):
    needs = (True, True, True)

    @staticmethod
    def forward(ctx, input, weight, bias=None):
        FrugalLinear.needs = (*ctx.needs_input_grad, False)[:3]
        ctx.save_for_backward(input, weight, bias)
        output = input @ weight.t()
        return output if bias is None else output + bias

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, _ = ctx.saved_tensors
        needs = FrugalLinear.needs
        return (
            grad_output @ weight if needs[0] else None,
            grad_output.t() @ input if needs[1] else None,
            grad_output.sum(0) if needs[2] else None,
        )
