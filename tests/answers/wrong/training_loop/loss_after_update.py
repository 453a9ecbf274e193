"""Records the loss after the update.

Meets: one step: record it before the update
"""

import torch


def train(x, y, w1, w2, learning_rate=1e-6, steps=500):
    losses = []
    for _ in range(steps):
        loss = (torch.relu(x @ w1) @ w2 - y).pow(2).sum()
        loss.backward()
        with torch.no_grad():
            for w in (w1, w2):
                w -= learning_rate * w.grad
                w.grad.zero_()
            losses.append((torch.relu(x @ w1) @ w2 - y).pow(2).sum().item())
    return losses, w1, w2
