"""torch.addmm for the sum, both gradients by one helper."""

import torch
from torch.amp import custom_bwd, custom_fwd


def side(g, own, other):
    return 2 * torch.addmm(g.sum(1, keepdim=True) * own, g, other, alpha=-1)


class SquaredDistance(torch.autograd.Function):
    @staticmethod
    @custom_fwd(device_type="cpu", cast_inputs=torch.float32)
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        squares = x.square().sum(1, keepdim=True) + y.square().sum(1)
        return torch.addmm(squares, x, y.mT, alpha=-2)

    @staticmethod
    @custom_bwd(device_type="cpu")
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return side(g, x, y), side(g.mT, y, x)
