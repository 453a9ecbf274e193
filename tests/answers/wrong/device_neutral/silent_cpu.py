"""Carries x to the CPU and leaves the result there.

Meets: device: This copies x to the CPU
"""

import torch


def add_positions(x):
    return x.cpu() + torch.arange(x.shape[-1])
