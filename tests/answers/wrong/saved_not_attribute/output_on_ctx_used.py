"""The output stays an attribute and is used, so its change in place goes unseen too.

Meets: stale: use ctx.save_for_backward
"""

import torch


class XTanh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        t = input.tanh()
        ctx.output = input * t
        ctx.save_for_backward(input, t)
        return ctx.output

    @staticmethod
    def backward(ctx, grad_output):
        input, t = ctx.saved_tensors
        output = ctx.output
        return grad_output * (t + input - t * output)
