"""Beyond the threshold.

Meets: wrong one fails: Beyond the threshold
"""

import torch


def counterexample(threshold=1e-3):
    return torch.tensor([threshold * 2], dtype=torch.float64)
