"""The weight is frozen by being no parameter any more.

Meets: frozen: weight.requires_grad is False
"""

import torch
from torch import nn


class CentredLinear(nn.Module):
    """y = (x - center) · weightᵀ + bias."""

    def __init__(self, in_features, out_features, center):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(out_features, in_features).uniform_(-0.1, 0.1))
        self.bias = nn.Parameter(torch.zeros(out_features))
        self.register_buffer("center", center)  # moves and is saved with the layer, and no optimizer sees it

    def forward(self, input):
        return (input - self.center) @ self.weight.t() + self.bias  # the weight as it is now


def freeze_weight(layer, lr):
    """Freeze layer.weight; return torch.optim.SGD over what is still trained."""
    w = layer.weight.detach()
    del layer.weight
    layer.register_buffer("weight", w)
    return torch.optim.SGD([p for p in layer.parameters() if p.requires_grad], lr=lr)
