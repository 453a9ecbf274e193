"""Three recipes, of which only those are cooked that are asked for."""

import torch


class FrugalLinear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight, bias=None):
        ctx.save_for_backward(input, weight)
        return torch.nn.functional.linear(input, weight, bias)

    @staticmethod
    def backward(ctx, grad_output):
        input, weight = ctx.saved_tensors
        recipes = (
            lambda: grad_output.matmul(weight),
            lambda: grad_output.mT.matmul(input),
            lambda: grad_output.sum(dim=0),
        )
        return tuple(cook() if needed else None for cook, needed in zip(recipes, ctx.needs_input_grad))
