"""The output is saved as a clone, out of fear of the cycle.

Meets: copies: A copy takes its memory once more
"""

import torch


class XTanh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        output = input * input.tanh()
        ctx.save_for_backward(input, output.clone())
        return output

    @staticmethod
    def backward(ctx, grad_output):
        input, output = ctx.saved_tensors
        t = input.tanh()
        return grad_output * (t + input - t * output)
