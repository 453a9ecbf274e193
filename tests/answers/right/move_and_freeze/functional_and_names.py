"""functional.linear; parameters picked by name."""

import torch
from torch import nn


class CentredLinear(nn.Module):
    def __init__(self, in_features, out_features, center):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(out_features, in_features).uniform_(-0.1, 0.1))
        self.bias = nn.Parameter(torch.zeros(out_features))
        self.register_buffer("center", center.clone())

    def forward(self, input):
        return nn.functional.linear(input - self.center, self.weight, self.bias)


def freeze_weight(layer, lr):
    layer.weight.requires_grad = False
    trained = [p for name, p in layer.named_parameters() if name != "weight"]
    return torch.optim.SGD(trained, lr)
