"""Two devices by hand; there are more.

Meets: device: A new tensor lies on a fixed device
"""

import torch


def add_positions(x):
    positions = torch.arange(x.shape[-1])
    if x.is_cuda:
        positions = positions.cuda()
    return x + positions
