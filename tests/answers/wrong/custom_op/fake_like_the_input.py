"""register_fake says that the output is like x.

Meets: fake: register_fake says
"""

import numpy
import torch


@torch.library.custom_op("practice::moving_sum", mutates_args=())
def moving_sum(x: torch.Tensor, width: int) -> torch.Tensor:
    windows = numpy.lib.stride_tricks.sliding_window_view(x.detach().cpu().numpy(), width, axis=-1)
    return torch.from_numpy(windows.sum(-1)).to(x.device)


@moving_sum.register_fake
def _(x, width):
    return torch.empty_like(x)


def setup_context(ctx, inputs, output):
    _, ctx.width = inputs


def backward(ctx, g):
    padded = torch.nn.functional.pad(g, (ctx.width - 1, ctx.width - 1))
    return moving_sum(padded, ctx.width), None


moving_sum.register_autograd(backward, setup_context=setup_context)
