"""The clone of the output is returned and the original saved: the same copy, the other way round.

Meets: copies: A copy takes its memory once more
"""

import torch


class XTanh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        output = input * input.tanh()
        ctx.save_for_backward(input, output)
        return output.clone()

    @staticmethod
    def backward(ctx, grad_output):
        input, output = ctx.saved_tensors
        t = input.tanh()
        return grad_output * (t + input - t * output)
