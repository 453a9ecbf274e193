"""Rounds, and lets the gradient through: no derivative.

Meets: new: torch has that already
"""

import torch
from torch import nn
from torch.autograd import Function


class YourFunction(Function):
    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, g):
        return g


class YourModule(nn.Module):
    def forward(self, x):
        return YourFunction.apply(x)


def train(images, labels, steps=60):
    network = nn.Sequential(nn.Linear(64, 32), YourModule(), nn.Linear(32, 10)).to(images.device)
    optimizer = torch.optim.Adam(network.parameters(), lr=0.02)
    for _ in range(steps):
        loss = nn.functional.cross_entropy(network(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return network
