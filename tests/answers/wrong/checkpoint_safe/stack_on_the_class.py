"""Masks in a stack on the class.

Meets: kept: A checkpoint drops what save_for_backward was given
"""

import torch


class Dropout(torch.autograd.Function):
    stack = []  # noqa: RUF012

    @staticmethod
    def forward(ctx, input, p):
        scale = (torch.rand_like(input) >= p).to(input.dtype) / (1 - p)
        Dropout.stack.append(scale)
        return input * scale

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * Dropout.stack.pop(), None
