"""The update is not under no_grad.

Meets: returned: under torch.no_grad() where you mean to
"""

import torch


def train(x, y, w1, w2, learning_rate=1e-6, steps=500):
    losses = []
    for _ in range(steps):
        loss = (torch.relu(x @ w1) @ w2 - y).pow(2).sum()
        losses.append(loss.item())
        loss.backward()
        w1 -= learning_rate * w1.grad
        w2 -= learning_rate * w2.grad
        w1.grad.zero_()
        w2.grad.zero_()
    return losses, w1, w2
