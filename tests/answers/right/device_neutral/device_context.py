"""Sets the default device for the block."""

import torch


def add_positions(x):
    with x.device:
        return x + torch.arange(x.shape[-1])
