"""The frequency is a keyword with a default, and a number; parts made by partial and a lambda."""

from functools import partial

import torch
from torch import nn
from torch.autograd import Function


class YourFunction(Function):
    @staticmethod
    def forward(ctx, x, a=1.0):
        ctx.save_for_backward(x)
        ctx.a = a
        return x + torch.sin(a * x) ** 2 / a

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * (1 + torch.sin(2 * ctx.a * x)), None


class Snake(nn.Module):
    def __init__(self, a):
        super().__init__()
        self.a = a

    def forward(self, x):
        return YourFunction.apply(x, a=self.a)


YourModule = partial(Snake, a=0.7)


def train(images, labels, steps=60):
    network = nn.Sequential(nn.Linear(64, 32), YourModule(), nn.Linear(32, 10)).to(images.device)
    optimizer = torch.optim.Adam(network.parameters(), lr=0.02)
    for _ in range(steps):
        loss = nn.functional.cross_entropy(network(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return network
