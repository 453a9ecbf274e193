"""Faults in the values, which every check sees.

Meets: missed by sum: sends ones
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
        version("Identity", lambda g, a, b: (g * b.clamp(min=0), g * a)),
        version("Swapped", lambda g, a, b: (g * a * (b > 0), g * b.clamp(min=0))),
        version("Twice", lambda g, a, b: (2 * g * b.clamp(min=0), 2 * g * a * (b > 0))),
        version("Negative", lambda g, a, b: (g * b.clamp(min=0), -g * a * (b > 0))),
    ]
