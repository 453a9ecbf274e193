"""The bias gradient is a product with ones that are made on the default device.

Meets: device: use new_ones
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
        ones = torch.ones(len(grad_output), dtype=grad_output.dtype)
        grad_bias = None if bias is None else ones @ grad_output
        return grad_output @ weight, grad_output.t() @ input, grad_bias
