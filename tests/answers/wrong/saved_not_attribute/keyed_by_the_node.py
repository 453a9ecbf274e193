"""A dictionary outside holds the tensors, keyed by ctx.

Meets: freed: An attribute of ctx lives as long as ctx does
"""

import torch

kept = {}


class XTanh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        kept[ctx] = input.tanh()
        ctx.save_for_backward(input)
        return input * kept[ctx]

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        t = kept[ctx]
        return grad_output * (t + input * (1 - t * t))
