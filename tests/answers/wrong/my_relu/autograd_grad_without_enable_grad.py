"""backward tries to differentiate a recomputed output, but backward runs with grad mode off, so there is no graph.

Meets: returned: backward runs with grad mode off
Source: https://github.com/pytorch/pytorch/issues/45405
"""

import torch


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return input.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        out = input.clamp(min=0)
        (g,) = torch.autograd.grad(out, input, grad_output)
        return g
