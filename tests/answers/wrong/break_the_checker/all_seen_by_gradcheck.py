"""Wrong versions of many kinds, and gradcheck sees each of them.

Meets: missed by gradcheck: a single 1 at a time
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
        version("Identity", lambda g, a, b: (g * b.clamp(min=0), g * a)),
        version("Swapped", lambda g, a, b: (g * a * (b > 0), g * b.clamp(min=0))),
        version("Rotated", lambda g, a, b: ((g * b.clamp(min=0)).roll(1, 0) if g.std() < 0.9 and g.numel() and not (g == 1).all() else g * b.clamp(min=0), g * a * (b > 0))),
    ]
