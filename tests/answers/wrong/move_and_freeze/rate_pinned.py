"""The learning rate is 0.1 whatever lr says.

Meets: frozen: freeze_weight(layer, 0.3)
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
    layer.weight.requires_grad_(False)
    return torch.optim.SGD([p for p in layer.parameters() if p.requires_grad], lr=0.1)
