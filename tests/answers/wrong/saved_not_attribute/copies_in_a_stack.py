"""Input and sigmoid in one stacked tensor, which holds a copy of the input.

Meets: copies: A copy takes its memory once more
"""

import torch


class XTanh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        t = input.tanh()
        ctx.save_for_backward(torch.stack([input, t]))
        return input * t

    @staticmethod
    def backward(ctx, grad_output):
        input, t = ctx.saved_tensors[0]
        return grad_output * (t + input * (1 - t * t))
