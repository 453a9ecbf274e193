"""The output stays an attribute, although backward could do without it.

Meets: cycle: held by its own node
"""

import torch


class XTanh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        t = input.tanh()
        ctx.output = input * t
        ctx.save_for_backward(input)
        return ctx.output

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        t = input.tanh()
        return grad_output * (t + input * (1 - t * t))
