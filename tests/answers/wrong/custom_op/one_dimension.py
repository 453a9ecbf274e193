"""forward is right for one dimension only.

Meets: forward: This should run without an error
"""

import numpy
import torch


@torch.library.custom_op("practice::moving_sum", mutates_args=())
def moving_sum(x: torch.Tensor, width: int) -> torch.Tensor:
    a = x.detach().cpu().numpy()
    return torch.from_numpy(numpy.convolve(a, numpy.ones(width, a.dtype), "valid")).to(x.device)


@moving_sum.register_fake
def _(x, width):
    return x.new_empty(*x.shape[:-1], x.shape[-1] - width + 1)


def setup_context(ctx, inputs, output):
    _, ctx.width = inputs


def backward(ctx, g):
    padded = torch.nn.functional.pad(g, (ctx.width - 1, ctx.width - 1))
    return moving_sum(padded, ctx.width), None


moving_sum.register_autograd(backward, setup_context=setup_context)
