"""A GPU written into the code.

Meets: values: A new tensor lies on a fixed device
"""

import torch


def add_positions(x):
    return x + torch.arange(x.shape[-1], device="cuda")
