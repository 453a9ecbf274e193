"""input.data has a version counter of its own, so the change goes unseen.

Meets: stale: nor is .data
"""

import torch


class XTanh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input.data)
        return input * input.tanh()

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        t = input.tanh()
        return grad_output * (t + input * (1 - t * t))
