"""A clone as an attribute, which no change in place can reach.

Meets: freed: An attribute of ctx lives as long as ctx does
"""

import torch


class XTanh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.input = input.clone()
        return input * input.tanh()

    @staticmethod
    def backward(ctx, grad_output):
        input = ctx.input
        t = input.tanh()
        return grad_output * (t + input * (1 - t * t))
