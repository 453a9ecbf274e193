"""Everything is still an attribute, as it came.

Meets: stale: use ctx.save_for_backward
"""

import torch


class XTanh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.input = input
        ctx.t = input.tanh()
        ctx.output = ctx.input * ctx.t
        return ctx.output

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * (ctx.t + ctx.input - ctx.t * ctx.output)
