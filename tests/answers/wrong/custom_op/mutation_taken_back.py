"""x is changed in place and changed back, to the last digit but one.

Meets: forward: forward changed its input in place
"""

import numpy
import torch


@torch.library.custom_op("practice::moving_sum", mutates_args=())
def moving_sum(x: torch.Tensor, width: int) -> torch.Tensor:
    a = x.detach().numpy()
    a += 100
    windows = numpy.lib.stride_tricks.sliding_window_view(a, width, axis=-1)
    sums = windows.sum(-1) - 100 * width
    a -= 100
    return torch.from_numpy(sums.astype(a.dtype))


@moving_sum.register_fake
def _(x, width):
    return x.new_empty(*x.shape[:-1], x.shape[-1] - width + 1)


def setup_context(ctx, inputs, output):
    _, ctx.width = inputs


def backward(ctx, g):
    padded = torch.nn.functional.pad(g, (ctx.width - 1, ctx.width - 1))
    return moving_sum(padded, ctx.width), None


moving_sum.register_autograd(backward, setup_context=setup_context)
