"""The geometric mean of gradcheck's step and the threshold, with its sign; requires grad already."""

import math

import torch


def counterexample(threshold=1e-3):
    size = math.sqrt(1e-6 * abs(threshold))
    return torch.tensor([math.copysign(size, threshold)], dtype=torch.double, requires_grad=True)
