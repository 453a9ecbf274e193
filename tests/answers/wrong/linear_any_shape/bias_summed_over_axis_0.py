"""The bias gradient is summed over the first dimension alone; with three dimensions the engine does the rest.

Meets: returned shape: over the first dimension alone
Source: https://github.com/ooples/AiDotNet.Tensors/issues/234
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

        grad_bias = None if bias is None else grad_output.sum(0) if grad_output.dim() > 1 else grad_output
        return grad_output @ weight, upstream.t() @ examples, grad_bias
