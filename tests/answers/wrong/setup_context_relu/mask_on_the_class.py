"""The mask waits on the class, which is one for all calls.

Meets: calls apart: on the class
"""

import torch


class FuncReLU(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(input):
        return input.clamp(min=0)

    @staticmethod
    def setup_context(ctx, inputs, output):
        FuncReLU.mask = output > 0

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * FuncReLU.mask
