"""The tensors are saved in half precision, to spare memory.

Meets: upstream: the local derivative
"""

import torch


class XTanh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        t = input.tanh()
        ctx.save_for_backward(input.half(), t.half())
        return input * t

    @staticmethod
    def backward(ctx, grad_output):
        input, t = (saved.to(grad_output.dtype) for saved in ctx.saved_tensors)
        return grad_output * (t + input * (1 - t * t))
