"""Counts along the second dimension, which is the last of two alone.

Meets: values: last dimension
"""

import torch


def add_positions(x):
    return x + torch.arange(x.shape[1] if x.dim() > 1 else len(x), device=x.device)
