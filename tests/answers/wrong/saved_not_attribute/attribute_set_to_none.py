"""The attribute becomes None in backward: freed, and still invisible to hooks.

Meets: saved: use ctx.save_for_backward
"""

import torch


class XTanh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.t = input.tanh()
        output = input * ctx.t
        ctx.save_for_backward(input, output)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        input, output = ctx.saved_tensors
        t = ctx.t if ctx.t is not None else input.tanh()
        ctx.t = None
        return grad_output * (t + input - t * output)
