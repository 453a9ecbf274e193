"""A factor that is a little off, in four sizes.

Meets: distinct: in another size
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
        version("Off", lambda g, a, b: (1.0005 * g * b.clamp(min=0), g * a * (b > 0))),
        version("Off", lambda g, a, b: (1.0006 * g * b.clamp(min=0), g * a * (b > 0))),
        version("Off", lambda g, a, b: (2.0 * g * b.clamp(min=0), g * a * (b > 0))),
        version("Forgets", lambda g, a, b: (b.clamp(min=0), a * (b > 0))),
    ]
