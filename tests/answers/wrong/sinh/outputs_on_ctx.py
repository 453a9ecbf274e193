"""The outputs themselves stay on ctx as attributes: derivatives are right, later changes are not noticed.

Meets: stale: use ctx.save_for_backward
"""

import torch


class Sinh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.grown, ctx.shrunk = x.exp(), (-x).exp()
        return (ctx.grown - ctx.shrunk) / 2, ctx.grown, ctx.shrunk

    @staticmethod
    def backward(ctx, grad_sinh, grad_grown, grad_shrunk):
        return grad_sinh * (ctx.grown + ctx.shrunk) / 2 + grad_grown * ctx.grown - grad_shrunk * ctx.shrunk
