"""backward adds cosh up in the saved tensor, which it then finds changed.

Meets: gradcheck: was changed in place
"""

import torch


class Sinh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        grown, shrunk = x.exp(), (-x).exp()
        ctx.save_for_backward(grown, shrunk)
        return (grown - shrunk) / 2, grown, shrunk

    @staticmethod
    def backward(ctx, grad_sinh, grad_grown, grad_shrunk):
        grown, shrunk = ctx.saved_tensors
        rest = grad_grown * grown - grad_shrunk * shrunk
        return rest + grad_sinh * grown.add_(shrunk) / 2
