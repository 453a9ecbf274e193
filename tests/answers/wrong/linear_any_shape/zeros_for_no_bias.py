"""Zeros in float32 stand for a bias that was not given.

Meets: bfloat16: made without one is float32
"""

import torch


class AnyShapeLinear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight, bias=None):
        ctx.save_for_backward(input, weight, bias)
        if bias is None:
            bias = torch.zeros(weight.shape[0])
        return input @ weight.t() + bias

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, bias = ctx.saved_tensors
        x = input.reshape(-1, input.shape[-1])
        g = grad_output.reshape(-1, weight.shape[0])
        return grad_output @ weight, g.t() @ x, None if bias is None else g.sum(0)
