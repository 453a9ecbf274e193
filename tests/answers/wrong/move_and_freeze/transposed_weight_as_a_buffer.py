"""The transposed weight is a buffer: it moves, and stays as it was when the weight learns.

Meets: registered: center is a buffer
"""

import torch
from torch import nn


class CentredLinear(nn.Module):
    def __init__(self, in_features, out_features, center):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(out_features, in_features).uniform_(-0.1, 0.1))
        self.bias = nn.Parameter(torch.zeros(out_features))
        self.register_buffer("center", center)
        self.register_buffer("transposed", self.weight.detach().t().clone(), persistent=False)

    def forward(self, input):
        return (input - self.center) @ self.transposed + self.bias


def freeze_weight(layer, lr):
    layer.weight.requires_grad_(False)
    return torch.optim.SGD([p for p in layer.parameters() if p.requires_grad], lr=lr)
