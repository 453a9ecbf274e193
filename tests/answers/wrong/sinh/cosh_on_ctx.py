"""cosh(x) is computed in forward and kept on ctx, where it is a constant.

Meets: second derivative: it is no output, so torch takes it for a constant
"""

import torch


class Sinh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        grown, shrunk = x.exp(), (-x).exp()
        ctx.save_for_backward(grown, shrunk)
        ctx.cosh = (grown + shrunk) / 2
        return (grown - shrunk) / 2, grown, shrunk

    @staticmethod
    def backward(ctx, grad_sinh, grad_grown, grad_shrunk):
        grown, shrunk = ctx.saved_tensors
        return grad_sinh * ctx.cosh + grad_grown * grown - grad_shrunk * shrunk
