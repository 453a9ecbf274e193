"""forward saves, backward still reads the attributes.

Meets: returned: no longer sets
"""

import torch


class XTanh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        t = input.tanh()
        output = input * t
        ctx.save_for_backward(input, t, output)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * (ctx.t + ctx.input - ctx.t * ctx.output)
