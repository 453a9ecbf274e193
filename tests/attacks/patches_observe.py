# attack: lets the check observe torch.relu's own gradient
# outcome: refused
import torch


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        return input.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output

import handgrad.observe as o

_real = o.observe


class Good(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * (x > 0)


o.observe = lambda exercise, answer, seed: _real(exercise, Good, seed)
