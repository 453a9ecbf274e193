"""Closer to 0 than gradcheck's step.

Meets: right one passes: closer to 0 than its step
"""

import torch


def counterexample(threshold=1e-3):
    return torch.tensor([threshold * 1e-4], dtype=torch.float64)
