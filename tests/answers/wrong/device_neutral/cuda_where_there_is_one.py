"""The usual line at the top of a script, which asks the machine and not the input.

Meets: device: A new tensor lies on a fixed device
"""

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def add_positions(x):
    return x + torch.arange(x.shape[-1], device=device)
