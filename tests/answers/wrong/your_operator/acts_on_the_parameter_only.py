"""The Function sees the parameter alone; what happens to the images is a composite.

Meets: module: goes through YourFunction.apply on the way
"""

import torch
from torch import nn
from torch.autograd import Function


class YourFunction(Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a * a.tanh()

    @staticmethod
    def backward(ctx, g):
        (a,) = ctx.saved_tensors
        return g * (a.tanh() + a * (1 - a.tanh() ** 2))


class YourModule(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Parameter(torch.tensor(1.0))

    def forward(self, x):
        return x * torch.sigmoid(YourFunction.apply(self.a) * x)


def train(images, labels, steps=60):
    network = nn.Sequential(nn.Linear(64, 32), YourModule(), nn.Linear(32, 10)).to(images.device)
    optimizer = torch.optim.Adam(network.parameters(), lr=0.02)
    for _ in range(steps):
        loss = nn.functional.cross_entropy(network(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return network
