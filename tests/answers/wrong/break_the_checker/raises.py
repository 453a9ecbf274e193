"""One raises, which is wrong and seen by all; nothing is missed by both.

Meets: one for each: find more
"""

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


class Raises(Gated):
    @staticmethod
    def backward(ctx, g):
        return g


def wrong_versions():
    return [
        version("Forgets", lambda g, a, b: (b.clamp(min=0), a * (b > 0))),
        version("Absolute", lambda g, a, b: (g.abs() * b.clamp(min=0), g.abs() * a * (b > 0))),
        version("Clips", lambda g, a, b: (g.clamp(-100, 100) * b.clamp(min=0), g.clamp(-100, 100) * a * (b > 0))),
        Raises,
    ]
