"""Reads the numbers out.

Meets: device: This copies x to the CPU
"""

import torch


def add_positions(x):
    rows = x.reshape(-1, x.shape[-1]).tolist()
    sums = [[v + i for i, v in enumerate(row)] for row in rows]
    return torch.tensor(sums, dtype=x.dtype, device=x.device).reshape(x.shape)
