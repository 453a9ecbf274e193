"""backward computes exp again and forgets to divide.

Meets: upstream: takes exp for the output
"""

import torch


class Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.softmax(x, -1)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        y = (x - x.amax(-1, keepdim=True)).exp()
        return y * (grad_output - (grad_output * y).sum(-1, keepdim=True))
