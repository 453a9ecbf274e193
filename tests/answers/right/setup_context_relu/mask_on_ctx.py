"""The mask as an attribute of ctx; accepted with advice."""

import torch


class FuncReLU(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(input):
        return input.clamp(min=0)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.mask = output > 0

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.mask
