"""The garrote of the chapter, and a train that holds out a part of what it is handed and takes the best step."""

import torch
from torch import nn
from torch.autograd import Function
import copy


class Garrote(Function):
    @staticmethod
    def forward(ctx, x, t):
        ctx.save_for_backward(x, t)
        gate = x.abs() > t.abs()
        return torch.where(gate, x - t * t / torch.where(gate, x, 1), 0)

    @staticmethod
    def backward(ctx, g):
        x, t = ctx.saved_tensors
        gate = x.abs() > t.abs()
        r = torch.where(gate, t / torch.where(gate, x, 1), 0)
        return g * gate * (1 + r * r), (-2 * g * r).sum_to_size(t.shape)


class Shrink(nn.Module):
    def __init__(self, *, t=0.5):
        super().__init__()
        self.register_parameter("t", nn.Parameter(torch.as_tensor(t)))

    def forward(self, *inputs):
        return Garrote.apply(*inputs, self.t)


def train(images, labels, steps: int = 80):
    here = {"device": images.device}
    net = nn.Sequential(nn.Linear(64, 40, **here), Shrink().to(images.device), nn.Linear(40, 10, **here))
    best, right = copy.deepcopy(net), 0.0
    optimizer = torch.optim.RMSprop(net.parameters(), lr=0.005)
    for _ in range(steps):
        loss = nn.functional.cross_entropy(net(images[200:]), labels[200:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            now = (net(images[:200]).argmax(1) == labels[:200]).float().mean().item()
        if now > right:
            best, right = copy.deepcopy(net), now
    return best


YourFunction, YourModule = Garrote, Shrink
