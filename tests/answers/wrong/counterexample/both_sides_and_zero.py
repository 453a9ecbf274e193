"""Numbers on both sides, and 0.

Meets: right one passes: At the kink itself
"""

import torch


def counterexample(threshold=1e-3):
    return torch.tensor([-threshold / 2, 0.0, threshold / 2], dtype=torch.float64)
