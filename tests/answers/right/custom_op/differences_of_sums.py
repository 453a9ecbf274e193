"""Differences of cumulative sums, in a copy; backward by unfold."""

import numpy
import torch


@torch.library.custom_op("practice::moving_sum", mutates_args=())
def moving_sum(x: torch.Tensor, width: int) -> torch.Tensor:
    a = numpy.array(x.detach().cpu())
    sums = numpy.concatenate([numpy.zeros_like(a[..., :1]), a.cumsum(-1)], axis=-1)
    return torch.as_tensor(sums[..., width:] - sums[..., :-width], device=x.device)


@moving_sum.register_fake
def _(x, width):
    shape = list(x.shape)
    shape[-1] += 1 - width
    return torch.empty(shape, dtype=x.dtype, device=x.device)


def setup_context(ctx, inputs, output):
    _, ctx.width = inputs


def backward(ctx, g):
    (width,) = (ctx.width,)
    return torch.nn.functional.pad(g, (width - 1, width - 1)).unfold(-1, width, 1).sum(-1), None


moving_sum.register_autograd(backward, setup_context=setup_context)
