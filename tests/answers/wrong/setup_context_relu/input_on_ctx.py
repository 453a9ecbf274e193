"""The input as an attribute of ctx: silently wrong once it is changed.

Meets: stale: is not guarded
"""

import torch


class FuncReLU(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(input):
        return input.clamp(min=0)

    @staticmethod
    def setup_context(ctx, inputs, output):
        (ctx.input,) = inputs

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * (ctx.input > 0)
