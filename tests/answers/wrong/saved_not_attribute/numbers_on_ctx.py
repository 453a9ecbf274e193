"""The input as a list of Python numbers, which is a copy that hooks cannot see.

Meets: hooks: did not come through ctx.saved_tensors
"""

import torch


class XTanh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.numbers = input.tolist()
        return input * input.tanh()

    @staticmethod
    def backward(ctx, grad_output):
        input = torch.tensor(ctx.numbers, dtype=grad_output.dtype, device=grad_output.device)
        t = input.tanh()
        return grad_output * (t + input * (1 - t * t))
