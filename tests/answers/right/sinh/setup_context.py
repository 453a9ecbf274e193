"""setup_context style."""

import torch
from torch.autograd import Function


class Sinh(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        grown, shrunk = x.exp(), x.neg().exp()
        return grown.sub(shrunk).div(2), grown, shrunk

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*output[1:])

    @staticmethod
    def backward(ctx, grad_sinh, grad_grown, grad_shrunk):
        grown, shrunk = ctx.saved_tensors
        return grad_sinh * (grown + shrunk) / 2 + grad_grown * grown - grad_shrunk * shrunk
