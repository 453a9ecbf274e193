"""The bias gradient by sum_to_size; the weight gradient over a list of leading dimensions."""

import torch


class AnyShapeLinear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight, bias=None):
        ctx.save_for_backward(input, weight, bias)
        return torch.nn.functional.linear(input, weight, bias)

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, bias = ctx.saved_tensors
        leading = list(range(input.dim() - 1))
        grad_weight = torch.tensordot(grad_output, input, dims=(leading, leading))
        grad_bias = None if bias is None else grad_output.sum_to_size(bias.shape)
        return torch.matmul(grad_output, weight), grad_weight, grad_bias
