"""The bias gradient keeps a dimension of size 1.

Meets: returned shape: sum without keepdim
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

        grad_bias = None if bias is None else upstream.sum(0, keepdim=True)
        return grad_output @ weight, upstream.t() @ examples, grad_bias
