"""The other side of 0.

Meets: wrong one fails: on the other side of 0
"""

import torch


def counterexample(threshold=1e-3):
    return torch.tensor([-threshold / 2], dtype=torch.float64)
