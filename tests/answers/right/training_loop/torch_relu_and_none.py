"""torch.relu, and gradients cleared with None."""

import torch


def train(x, y, w1, w2, learning_rate=1e-6, steps=500):
    losses = []
    for _ in range(steps):
        loss = (torch.relu(x @ w1) @ w2 - y).pow(2).sum()
        losses.append(loss.item())
        loss.backward()
        with torch.no_grad():
            for w in (w1, w2):
                w -= learning_rate * w.grad
                w.grad = None
    return losses, w1, w2
