"""To the CPU and back.

Meets: device: This copies x to the CPU
"""

import torch


def add_positions(x):
    return (x.cpu() + torch.arange(x.shape[-1])).to(x.device)
