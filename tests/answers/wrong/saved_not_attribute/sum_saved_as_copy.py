"""input + 0 is a copy too.

Meets: copies: A copy takes its memory once more
"""

import torch


class XTanh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        input = input + 0
        t = input.tanh()
        output = input * t
        ctx.save_for_backward(input, t, output)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        input, t, output = ctx.saved_tensors
        return grad_output * (t + input - t * output)
