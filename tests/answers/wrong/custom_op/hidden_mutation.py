"""The sums from the beginning are made in the memory of x.

Meets: forward: forward changed its input in place
"""

import numpy
import torch


@torch.library.custom_op("practice::moving_sum", mutates_args=())
def moving_sum(x: torch.Tensor, width: int) -> torch.Tensor:
    a = x.detach().numpy()
    numpy.cumsum(a, axis=-1, out=a)
    sums = a[..., width - 1 :].copy()
    sums[..., 1:] -= a[..., :-width]
    return torch.from_numpy(sums)


@moving_sum.register_fake
def _(x, width):
    return x.new_empty(*x.shape[:-1], x.shape[-1] - width + 1)


def setup_context(ctx, inputs, output):
    _, ctx.width = inputs


def backward(ctx, g):
    padded = torch.nn.functional.pad(g, (ctx.width - 1, ctx.width - 1))
    return moving_sum(padded, ctx.width), None


moving_sum.register_autograd(backward, setup_context=setup_context)
