"""The kink itself.

Meets: right one passes: At the kink itself
"""

import torch


def counterexample(threshold=1e-3):
    return torch.zeros(1, dtype=torch.float64)
