"""Takes the threshold for positive.

Meets: wrong one fails: The threshold may be negative
"""

import torch


def counterexample(threshold=1e-3):
    return torch.tensor([abs(threshold) / 2], dtype=torch.float64)
