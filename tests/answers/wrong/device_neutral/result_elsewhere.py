"""Writes into a new tensor of the default device.

Meets: device: device of the result: expected meta   got cpu
"""

import torch


def add_positions(x):
    result = torch.zeros(x.shape, dtype=x.dtype)
    return result if x.is_meta else result + x + torch.arange(x.shape[-1], device=x.device)
