"""squeeze(0) after the sum: with one output the bias gradient loses its dimension.

Meets: shapes: The bias gradient lost its shape
Source: https://github.com/pytorch/pytorch/issues/28583
"""

import torch


class AnyShapeLinear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight, bias=None):
        ctx.save_for_backward(input, weight, bias)
        output = input @ weight.t()
        return output if bias is None else output + bias

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, bias = ctx.saved_tensors
        examples = input.reshape(-1, input.shape[-1])
        upstream = grad_output.reshape(-1, grad_output.shape[-1])

        grad_bias = None if bias is None else upstream.sum(0).squeeze(0)
        return grad_output @ weight, upstream.t() @ examples, grad_bias
