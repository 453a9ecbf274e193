"""The mask is kept on the class: the second call overwrites that of the first.

Meets: calls apart: on ctx
"""

import torch


def slopes_at_zero():
    return {
        "torch.relu(x)": 0,
        "x.clamp(min=0)": 1,
        "torch.maximum(x, zero)": 0.5,
        "torch.where(x > 0, x, 0)": 0,
        "x * (x > 0)": 0,
        "(x + x.abs()) / 2": 0.5,
        "MyReLU.apply(x)": 1,
    }


class TorchReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        TorchReLU.m = input > 0
        return input.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * TorchReLU.m
