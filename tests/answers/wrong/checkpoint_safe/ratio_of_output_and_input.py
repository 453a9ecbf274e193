"""The scale is output / input, 0 / 0 where the input is zero.

Meets: zeros: keep the draw itself
"""

import torch


class Dropout(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, p):
        output = input * (torch.rand_like(input) >= p) / (1 - p)
        ctx.save_for_backward(input, output)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        input, output = ctx.saved_tensors
        return grad_output * output / input, None
