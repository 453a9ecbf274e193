"""Saves the input in half precision, so that tiny positives become 0.

Meets: upstream: not the upstream gradient
"""

import torch


class LeanReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input.to(torch.float8_e4m3fn))
        return input.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        (small,) = ctx.saved_tensors
        return grad_output * (small.to(grad_output.dtype) > 0)
