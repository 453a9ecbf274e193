"""A layer and no activation: bumps around learned points; it has no second derivative, and says so."""

import torch
from torch import nn
from torch.autograd import Function
from torch.autograd.function import once_differentiable


class YourFunction(Function):
    """exp(-|x - c|² / 64) for each row x and each point c"""

    @staticmethod
    def forward(ctx, x, points):
        away = x[:, None, :] - points
        bumps = torch.exp(-away.square().sum(2) / 64)
        ctx.save_for_backward(away, bumps)
        return bumps

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        away, bumps = ctx.saved_tensors
        each = (grad_output * bumps / -32)[:, :, None] * away
        return each.sum(1), -each.sum(0)


class YourModule(nn.Module):
    def __init__(self, points=40, features=64):
        super().__init__()
        self.points = nn.Parameter(torch.randn(points, features))

    def forward(self, x):
        return YourFunction.apply(x, self.points)


def train(images, labels, steps=150):
    torch.manual_seed(1)
    network = nn.Sequential(nn.Linear(64, 64), YourModule(), nn.Linear(40, 10)).to(images.device)
    optimizer = torch.optim.AdamW(network.parameters(), lr=0.01)
    for step in range(steps):
        optimizer.zero_grad(set_to_none=False)
        loss = nn.CrossEntropyLoss()(network(images), labels)
        loss.backward()
        optimizer.step()
    return network
