"""optimizer.zero_grad() stands between backward and step.

Meets: one step: zero_grad between backward and step
"""

import torch


def train(x, y, w1, w2, learning_rate=1e-6, steps=500):
    optimizer = torch.optim.SGD([w1, w2], lr=learning_rate)
    losses = []
    for _ in range(steps):
        loss = (torch.relu(x @ w1) @ w2 - y).pow(2).sum()
        losses.append(loss.item())
        loss.backward()
        optimizer.zero_grad()
        optimizer.step()
    return losses, w1, w2
