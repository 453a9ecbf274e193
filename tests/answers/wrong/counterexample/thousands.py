"""So many numbers that one will do.

Meets: form: at most 20 numbers
"""

import torch


def counterexample(threshold=1e-3):
    return torch.linspace(-1, 1, 2000, dtype=torch.float64)
