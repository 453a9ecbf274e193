"""The threshold itself, where x > threshold is False; a tensor without dimensions. Below 0 a little less is needed."""

import torch


def counterexample(threshold=1e-3):
    x = torch.tensor(threshold, dtype=torch.float64)
    return x if threshold > 0 else x * 0.99
