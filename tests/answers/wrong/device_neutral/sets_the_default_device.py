"""Sets the default device and leaves it so.

Meets: left alone: the default device is what it was: expected True   got False
"""

import torch


def add_positions(x):
    torch.set_default_device(x.device)
    return x + torch.arange(x.shape[-1])
