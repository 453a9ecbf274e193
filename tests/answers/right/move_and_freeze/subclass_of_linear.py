"""nn.Linear does the work; SGD gets a group with the one parameter that is left."""

import torch
from torch import nn


class CentredLinear(nn.Linear):
    def __init__(self, in_features, out_features, center):
        super().__init__(in_features, out_features)
        nn.init.uniform_(self.weight, -0.1, 0.1)
        nn.init.zeros_(self.bias)
        self.register_buffer("center", center)

    def forward(self, input):
        return super().forward(input - self.center)


def freeze_weight(layer, lr):
    for name, parameter in layer.named_parameters():
        parameter.requires_grad = name != "weight"
    return torch.optim.SGD([{"params": [layer.bias], "lr": lr}], lr=lr)
