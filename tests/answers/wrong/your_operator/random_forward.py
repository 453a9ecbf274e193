"""Noise is drawn inside forward, so that two calls differ.

Meets: audit, runs: Two calls on the same input differ
"""

import torch
from torch import nn
from torch.autograd import Function


class YourFunction(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x.tanh() + 0.01 * torch.randn_like(x)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * (x.tanh() + x * (1 - x.tanh() ** 2))


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
