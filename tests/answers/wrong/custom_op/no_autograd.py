"""register_autograd is missing.

Meets: upstream: torch finds no backward
"""

import numpy
import torch


@torch.library.custom_op("practice::moving_sum", mutates_args=())
def moving_sum(x: torch.Tensor, width: int) -> torch.Tensor:
    windows = numpy.lib.stride_tricks.sliding_window_view(x.detach().cpu().numpy(), width, axis=-1)
    return torch.from_numpy(windows.sum(-1)).to(x.device)


@moving_sum.register_fake
def _(x, width):
    return x.new_empty(*x.shape[:-1], x.shape[-1] - width + 1)
