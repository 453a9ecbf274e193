"""A learning rate of 0 for the weight.

Meets: frozen: weight.requires_grad is False
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
    return torch.optim.SGD([{"params": [layer.weight], "lr": 0.0}, {"params": [layer.bias]}], lr=lr)
