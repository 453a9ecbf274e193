"""Right numbers everywhere, and promises that are broken; one version for the sum, by two changes."""

import torch
from torch.autograd import Function
from torch.autograd.function import once_differentiable


class Keeps(Function):
    """The class remembers b: two calls mix."""

    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        Keeps.b = b
        return a * torch.relu(b)

    @staticmethod
    def backward(ctx, g):
        a, _ = ctx.saved_tensors
        return g * Keeps.b.relu(), g * a * (Keeps.b > 0)


class Writes(Function):
    """Writes into grad_output."""

    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * torch.relu(b)

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        grad_a = g * torch.relu(b)
        if not g.stride() == (0, 0):
            g.mul_(b > 0)
            return grad_a, g * a
        return grad_a, g * a * (b > 0)


class NoSecond(Function):
    """The second derivative is silently wrong."""

    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * torch.relu(b)

    @staticmethod
    def backward(ctx, g):
        a, b = (saved.detach() for saved in ctx.saved_tensors)
        return g * torch.relu(b), g * a * (b > 0)


class Single(Function):
    """Half of the digits are gone: float32 inside."""

    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * torch.relu(b)

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        gate = torch.where(b > 0, 1.0, 0.0).float()
        return g * torch.relu(b), (g.float() * a.float() * gate).double()


class OnCtx(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.both = [a, b]
        return a * torch.relu(b)

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.both
        return g * torch.relu(b), g * a * (b > 0)


def wrong_versions():
    return (Keeps, Writes, NoSecond, Single, OnCtx)
