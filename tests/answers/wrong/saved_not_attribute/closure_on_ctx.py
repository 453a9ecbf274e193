"""A function on ctx holds the tensors.

Meets: freed: An attribute of ctx lives as long as ctx does
"""

import torch


class XTanh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        t = input.tanh()
        slope = t + input - t * input * t
        ctx.pull = lambda g: g * slope
        return input * t

    @staticmethod
    def backward(ctx, grad_output):
        return ctx.pull(grad_output)
