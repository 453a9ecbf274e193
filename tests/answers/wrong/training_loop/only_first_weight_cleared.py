"""The gradient of w2 is never cleared.

Meets: two steps: something of step 1 is left over
"""

import torch


def train(x, y, w1, w2, learning_rate=1e-6, steps=500):
    losses = []
    for _ in range(steps):
        loss = (torch.relu(x @ w1) @ w2 - y).pow(2).sum()
        losses.append(loss.item())
        loss.backward()
        with torch.no_grad():
            w1 -= learning_rate * w1.grad
            w2 -= learning_rate * w2.grad
            w1.grad.zero_()
    return losses, w1, w2
