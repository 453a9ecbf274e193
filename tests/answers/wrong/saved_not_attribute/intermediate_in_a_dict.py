"""The intermediate hides in a dict on ctx.

Meets: freed: An attribute of ctx lives as long as ctx does
"""

import torch


class XTanh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        t = input.tanh()
        ctx.kept = {"t": t}
        output = input * t
        ctx.save_for_backward(input, output)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        input, output = ctx.saved_tensors
        t = ctx.kept["t"]
        return grad_output * (t + input - t * output)
