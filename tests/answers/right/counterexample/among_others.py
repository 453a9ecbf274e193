"""Among harmless numbers, in two dimensions."""

import torch


def counterexample(threshold=1e-3):
    return torch.tensor([[-1.0, 3.0], [0.9 * threshold, 5.0]], dtype=torch.float64)
