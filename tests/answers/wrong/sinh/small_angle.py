"""Close to 0 the slope is taken for 1: the third derivative is 0 there.

Meets: third derivative: its own derivative is cut off
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
        cosh = torch.where((grown - shrunk).abs() < 0.02, 1.0, (grown + shrunk) / 2)
        return grad_sinh * cosh + grad_grown * grown - grad_shrunk * shrunk
