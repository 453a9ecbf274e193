"""arange on the default device, the CPU.

Meets: device: A new tensor lies on a fixed device
"""

import torch


def add_positions(x):
    return x + torch.arange(x.shape[-1])
