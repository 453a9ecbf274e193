"""The second derivative is given by a Function whose own backward uses constants: the third is wrong.

Meets: third derivative: its own derivative is cut off
"""

import torch


class Cosh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x.sinh())
        return x.cosh()

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.saved_tensors[0]


class Sinh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sinh(), x.exp(), (-x).exp()

    @staticmethod
    def backward(ctx, grad_sinh, grad_grown, grad_shrunk):
        (x,) = ctx.saved_tensors
        return grad_sinh * Cosh.apply(x) + grad_grown * x.exp() - grad_shrunk * (-x).exp()
