"""The fake computes with torch: meta tensors have shapes, and that is enough."""

import numpy
import torch


@torch.library.custom_op("practice::moving_sum", mutates_args=())
def moving_sum(x: torch.Tensor, width: int) -> torch.Tensor:
    windows = numpy.lib.stride_tricks.sliding_window_view(x.detach().cpu().numpy(), width, axis=-1)
    return torch.from_numpy(windows.sum(-1)).to(x.device)


@moving_sum.register_fake
def _(x, width):
    return x.unfold(-1, width, 1).sum(-1)


def setup_context(ctx, inputs, output):
    ctx.width = inputs[1]


def backward(ctx, g):
    grads = [torch.nn.functional.pad(g, (k, ctx.width - 1 - k)) for k in range(ctx.width)]
    return sum(grads), None


moving_sum.register_autograd(backward, setup_context=setup_context)
