"""The mask of the last call, on the class.

Meets: kept: A checkpoint drops what save_for_backward was given
"""

import torch


class Dropout(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, p):
        scale = (torch.rand_like(input) >= p).to(input.dtype) / (1 - p)
        Dropout.scale = scale
        return input * scale

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * Dropout.scale, None
