"""The new style, a vmap rule, one parameter for each of 64 features as default, minibatches, SGD."""

import torch
from torch import nn
from torch.autograd import Function


class Isru(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x, a):
        return x * torch.rsqrt(1 + a * a * x * x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        x, a = ctx.saved_tensors
        cubed = torch.rsqrt(1 + a * a * x * x) ** 3
        grad_a = -grad_output * a * x**3 * cubed
        return grad_output * cubed, grad_a.sum_to_size(a.shape)


class Unit(nn.Module):
    def __init__(self, features=64, first=0.5):
        super().__init__()
        self.op = Isru.apply
        self.a = nn.Parameter(torch.full((features,), first))

    def forward(self, input):
        return self.op(input, self.a)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.unit, self.two = nn.Linear(64, 64), Unit(64), nn.Linear(64, 10)

    def forward(self, images):
        return self.two(self.unit(self.one(images)))


def fit(images, labels, steps=200):
    net = Net().to(images.device)
    sgd = torch.optim.SGD(net.parameters(), lr=0.3, momentum=0.9)
    net.train()
    for step in range(steps):
        some = slice(64 * step % 1280, 64 * step % 1280 + 64)
        sgd.zero_grad()
        nn.functional.cross_entropy(net(images[some]), labels[some]).backward()
        sgd.step()
    return net


YourFunction, YourModule, train = Isru, Unit, fit
