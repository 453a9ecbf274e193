"""x times a learned number is torch.mul.

Meets: new: torch has that already
"""

import torch
from torch import nn
from torch.autograd import Function


class YourFunction(Function):
    @staticmethod
    def forward(ctx, x, a):
        ctx.save_for_backward(x, a)
        return a * x

    @staticmethod
    def backward(ctx, g):
        x, a = ctx.saved_tensors
        return g * a, (g * x).sum_to_size(a.shape)


class YourModule(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Parameter(torch.tensor(1.0))

    def forward(self, x):
        return YourFunction.apply(x, self.a)


def train(images, labels, steps=60):
    network = nn.Sequential(nn.Linear(64, 32), YourModule(), nn.Linear(32, 10)).to(images.device)
    optimizer = torch.optim.Adam(network.parameters(), lr=0.02)
    for _ in range(steps):
        loss = nn.functional.cross_entropy(network(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return network
