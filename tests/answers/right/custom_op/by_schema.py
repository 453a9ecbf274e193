"""torch.library.custom_op with a schema in place of annotations, and named functions registered."""

import numpy
import torch


def compute(x, width):
    windows = numpy.lib.stride_tricks.sliding_window_view(x.numpy(force=True), width, axis=-1)
    return torch.tensor(windows.sum(-1), device=x.device)


def setup(ctx, inputs, output):
    ctx.width = inputs[1]


def derivative(ctx, g):
    w = ctx.width
    return torch.nn.functional.conv1d(
        g.reshape(-1, 1, g.shape[-1]), torch.ones(1, 1, w, dtype=g.dtype, device=g.device), padding=w - 1
    ).reshape(*g.shape[:-1], g.shape[-1] + w - 1), None


moving_sum = torch.library.custom_op("practice::moving_sum", compute, mutates_args=(), schema="(Tensor x, int width) -> Tensor")
moving_sum.register_fake(lambda x, width: x.new_empty((*x.shape[:-1], x.shape[-1] - width + 1)))
moving_sum.register_autograd(derivative, setup_context=setup)
