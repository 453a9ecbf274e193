"""nn.Buffer, addmm, and filter."""

import torch
from torch import nn


class CentredLinear(nn.Module):
    def __init__(self, in_features, out_features, center):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(out_features, in_features).uniform_(-0.1, 0.1))
        self.bias = nn.Parameter(torch.zeros(out_features))
        self.center = nn.Buffer(center)

    def forward(self, input):
        return nn.functional.linear(input, self.weight) - nn.functional.linear(self.center, self.weight) + self.bias


def freeze_weight(layer, lr):
    layer.weight = nn.Parameter(layer.weight.detach(), requires_grad=False)
    return torch.optim.SGD(filter(lambda p: p.requires_grad, layer.parameters()), lr=lr)
