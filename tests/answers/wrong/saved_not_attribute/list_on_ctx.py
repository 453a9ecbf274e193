"""All three in a list on ctx: one attribute, the same harm.

Meets: stale: use ctx.save_for_backward
"""

import torch


class XTanh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        t = input.tanh()
        output = input * t
        ctx.tensors = [input, t, output]
        return output

    @staticmethod
    def backward(ctx, grad_output):
        input, t, output = ctx.tensors
        return grad_output * (t + input - t * output)
