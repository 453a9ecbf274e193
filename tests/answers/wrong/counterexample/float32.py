"""float32.

Meets: form: Return one float64 tensor
"""

import torch


def counterexample(threshold=1e-3):
    return torch.tensor([threshold / 2])
