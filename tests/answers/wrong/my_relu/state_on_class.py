"""The mask is stored on the class (or on one shared object), so the second use overwrites the first. One use per step
looks right.

Meets: calls apart: keep what backward needs on ctx
Source: https://github.com/pytorch/pytorch/issues/821
"""

import torch


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        MyReLU.mask = input > 0
        return input.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * MyReLU.mask
