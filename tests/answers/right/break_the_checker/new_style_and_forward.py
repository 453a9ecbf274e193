"""setup_context; a forward that is wrong far out; a jvp that forgets a tangent."""

import torch
from torch.autograd import Function


class New(Function):
    @staticmethod
    def forward(a, b):
        return a * b.clamp(min=0)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        return g * b.clamp(min=0), torch.where(b > 0, g * a, 0)


class Ceiling(New):
    @staticmethod
    def forward(a, b):
        return a * b.clamp(min=0, max=20)

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        return g * b.clamp(min=0, max=20), torch.where((b > 0) & (b < 20), g * a, 0)


class HalfTangent(New):
    @staticmethod
    def jvp(ctx, a_tangent, b_tangent):
        a, b = ctx.saved_tensors
        return a_tangent * b.clamp(min=0)


class OneDimension(New):
    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        if g.dim() > 2:
            g = g.flip(0)
        return g * b.clamp(min=0), torch.where(b > 0, g * a, 0)


class Rounds(New):
    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        g = torch.ceil(g)
        return g * b.clamp(min=0), torch.where(b > 0, g * a, 0)


def wrong_versions():
    return [Ceiling, HalfTangent, OneDimension, Rounds]
