"""All gradients are divided by the batch size, as if the loss were a mean.

Meets: upstream: All three gradients are divided by N
"""

import torch


class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight, bias=None):
        ctx.save_for_backward(input, weight, bias)
        output = input @ weight.t()
        return output if bias is None else output + bias

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, bias = ctx.saved_tensors
        n = len(input)
        grad_bias = None if bias is None else grad_output.mean(0)
        return grad_output @ weight / n, grad_output.t() @ input / n, grad_bias
