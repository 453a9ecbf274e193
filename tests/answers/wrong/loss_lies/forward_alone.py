"""Compares the values and never asks for a gradient.

Meets: wrong ones fail: It accepts every backward
"""

import torch


def is_relu(fn):
    x = torch.tensor([-1.0, 1.0, 2.0])
    return torch.equal(fn(x), torch.relu(x))
