"""The threshold itself, rounded to float32, and so a little beyond it.

Meets: wrong one fails: Beyond the threshold
"""

import torch


def counterexample(threshold=1e-3):
    return torch.tensor([threshold]).double() * (1 if threshold > 0 else 0.5)
