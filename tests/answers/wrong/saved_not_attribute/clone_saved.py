"""A clone is saved, so that no version check can fail.

Meets: copies: A copy takes its memory once more
"""

import torch


class XTanh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input.clone())
        return input * input.tanh()

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        t = input.tanh()
        return grad_output * (t + input * (1 - t * t))
