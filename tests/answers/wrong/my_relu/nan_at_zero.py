"""The 0/1 slope is computed by a division (input / |input|) and becomes 0/0 = NaN at exactly 0; selecting afterwards
does not remove it when the product form is used.

Meets: kink: NaN will not
Source: https://github.com/pytorch/pytorch/issues/108618
"""

import torch


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return input.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        slope = (1 + input / input.abs()) / 2
        return grad_output * slope
