"""A ReLU whose backward lets everything through; its loss falls further than that of the right one.

Meets: one step: lets every gradient through
"""

import torch


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        return input.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.clone()


def train(x, y, w1, w2, learning_rate=1e-6, steps=500):
    losses = []
    for _ in range(steps):
        loss = (MyReLU.apply(x @ w1) @ w2 - y).pow(2).sum()
        losses.append(loss.item())
        loss.backward()
        with torch.no_grad():
            for w in (w1, w2):
                w -= learning_rate * w.grad
                w.grad.zero_()
    return losses, w1, w2
