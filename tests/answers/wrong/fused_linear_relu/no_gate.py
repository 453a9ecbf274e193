"""The backward of the linear layer alone.

Meets: upstream: The gate is missing
"""

import torch


class FusedLinearReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight, bias):
        ctx.save_for_backward(input, weight)
        return torch.relu(input @ weight.t() + bias)

    @staticmethod
    def backward(ctx, grad_output):
        input, weight = ctx.saved_tensors
        grad_input = grad_output @ weight if ctx.needs_input_grad[0] else None
        grad_weight = grad_output.t() @ input if ctx.needs_input_grad[1] else None
        grad_bias = grad_output.sum(0) if ctx.needs_input_grad[2] else None
        return grad_input, grad_weight, grad_bias
