"""register_fake remembers the length of the last real output.

Meets: fake: register_fake says
"""

import numpy
import torch

LAST = 0


@torch.library.custom_op("practice::moving_sum", mutates_args=())
def moving_sum(x: torch.Tensor, width: int) -> torch.Tensor:
    global LAST
    windows = numpy.lib.stride_tricks.sliding_window_view(x.detach().cpu().numpy(), width, axis=-1)
    y = torch.from_numpy(windows.sum(-1)).to(x.device)
    LAST = y.shape[-1]
    return y


@moving_sum.register_fake
def _(x, width):
    return x.new_empty(*x.shape[:-1], LAST)


def setup_context(ctx, inputs, output):
    _, ctx.width = inputs


def backward(ctx, g):
    padded = torch.nn.functional.pad(g, (ctx.width - 1, ctx.width - 1))
    return moving_sum(padded, ctx.width), None


moving_sum.register_autograd(backward, setup_context=setup_context)
