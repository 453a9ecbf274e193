"""Flattens in forward too, and puts the shape back."""

import torch


class AnyShapeLinear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight, bias=None):
        ctx.save_for_backward(input, weight)
        ctx.has_bias = bias is not None
        output = input.reshape(-1, input.size(-1)).mm(weight.t())
        if bias is not None:
            output += bias
        return output.reshape(*input.shape[:-1], weight.size(0))

    @staticmethod
    def backward(ctx, grad_output):
        input, weight = ctx.saved_tensors
        g = grad_output.reshape(-1, weight.size(0))
        grad_input = g.mm(weight).reshape(input.shape)
        return grad_input, g.t().mm(input.reshape(-1, input.size(-1))), g.sum(0) if ctx.has_bias else None
