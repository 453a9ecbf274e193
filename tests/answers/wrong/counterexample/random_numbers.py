"""Random numbers.

Meets: wrong one fails: a number must lie between 0 and the threshold
"""

import torch


def counterexample(threshold=1e-3):
    return torch.randn(20, dtype=torch.float64)
