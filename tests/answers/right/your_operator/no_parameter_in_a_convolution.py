"""No parameter, a formula with a kink; the network is a convolution with a residual branch, in train mode."""

import torch
from torch import nn
from torch.autograd import Function


class YourFunction(Function):
    """x above 0, x / (1 - x)² below"""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.where(x > 0, x, x / (1 - x.clamp(max=0)) ** 2)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        low = x.clamp(max=0)
        return g * torch.where(x > 0, 1, (1 + low) / (1 - low) ** 3)


class YourModule(nn.Module):
    def forward(self, x):
        return YourFunction.apply(x)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 6, 3)
        self.norm = nn.BatchNorm2d(6)
        self.act = YourModule()
        self.drop = nn.Dropout(0.1)
        self.hidden = nn.Linear(216, 64)
        self.out = nn.Linear(64, 10)

    def forward(self, images):
        h = self.act(self.norm(self.conv(images.reshape(-1, 1, 8, 8)))).flatten(1)
        h = self.hidden(self.drop(h))
        return self.out(h + self.act(h))


def train(images, labels, steps=25):
    net = Net().to(images.device)
    optimizer = torch.optim.Adam(net.parameters(), lr=0.02)
    for _ in range(steps):
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(images), labels).backward()
        optimizer.step()
    return net
