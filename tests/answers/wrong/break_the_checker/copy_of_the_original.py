"""One version is the original under another name.

Meets: truly wrong: A copy of the original
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


def wrong_versions():
    return [
        version("Forgets", lambda g, a, b: (b.clamp(min=0), a * (b > 0))),
        version("Absolute", lambda g, a, b: (g.abs() * b.clamp(min=0), g.abs() * a * (b > 0))),
        version("Late", lambda g, a, b: (g * b.clamp(min=0), g * a * (b > 1e-3))),
        version("Copy", lambda g, a, b: (g * b.clamp(min=0), g * a * (b > 0))),
    ]
