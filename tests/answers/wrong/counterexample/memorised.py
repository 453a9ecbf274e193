"""The one number for a threshold of 1e-3.

Meets: wrong one fails: compute it from the threshold
"""

import torch


def counterexample(threshold=1e-3):
    return torch.tensor([5e-4], dtype=torch.float64)
