"""Through NumPy.

Meets: device: This copies x to the CPU
"""

import numpy as np
import torch


def add_positions(x):
    array = x.numpy() + np.arange(x.shape[-1], dtype=x.numpy().dtype)
    return torch.from_numpy(array).to(x.device)
