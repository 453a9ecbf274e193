"""The weight is left out of the optimizer and not frozen.

Meets: frozen: left out of the optimizer and not frozen
"""

import torch
from torch import nn


class CentredLinear(nn.Module):
    def __init__(self, in_features, out_features, center):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(out_features, in_features).uniform_(-0.1, 0.1))
        self.bias = nn.Parameter(torch.zeros(out_features))
        self.register_buffer("center", center)

    def forward(self, input):
        return (input - self.center) @ self.weight.t() + self.bias


def freeze_weight(layer, lr):
    return torch.optim.SGD([layer.bias], lr=lr)
