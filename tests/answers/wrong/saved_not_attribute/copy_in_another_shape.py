"""The copy is flattened.

Meets: copies: A copy takes its memory once more
"""

import torch


class XTanh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input.clone().reshape(-1))
        return input * input.tanh()

    @staticmethod
    def backward(ctx, grad_output):
        input = ctx.saved_tensors[0].reshape(grad_output.shape)
        t = input.tanh()
        return grad_output * (t + input * (1 - t * t))
