"""The input stays an attribute; the others are saved.

Meets: stale: use ctx.save_for_backward
"""

import torch


class XTanh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        t = input.tanh()
        output = input * t
        ctx.input = input
        ctx.save_for_backward(t, output)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        t, output = ctx.saved_tensors
        input = ctx.input
        return grad_output * (t + input - t * output)
