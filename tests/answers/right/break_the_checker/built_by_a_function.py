"""Versions built by a function from lambdas; a clipped gradient, a square, a large b."""

import torch
from torch.autograd import Function


class Gated(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        return grad_output * b.clamp(min=0), grad_output * a * (b > 0)


def version(name, backward):
    """A version with another backward, `(g, a, b) -> gradients`."""
    return type(name, (Gated,), {"backward": staticmethod(lambda ctx, g: backward(g, *ctx.saved_tensors))})


def wrong_versions():
    return [
        version("Forgets", lambda g, a, b: (b.clamp(min=0), a * (b > 0))),
        version("Clips", lambda g, a, b: (g.clamp(-100, 100) * b.clamp(min=0), g.clamp(-100, 100) * a * (b > 0))),
        version("Squares", lambda g, a, b: (g * g * b.clamp(min=0), g * g * a * (b > 0))),
        version("Far", lambda g, a, b: (g * b.clamp(min=0, max=1e3), g * a * (b > 0))),
    ]
