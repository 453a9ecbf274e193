"""Trains copies and returns the weights that it was given.

Meets: one step: No weight moves
"""

import torch


def train(x, y, w1, w2, learning_rate=1e-6, steps=500):
    v1, v2 = (w.detach().clone().requires_grad_() for w in (w1, w2))
    optimizer = torch.optim.SGD([v1, v2], lr=learning_rate)
    losses = []
    for _ in range(steps):
        loss = (torch.relu(x @ v1) @ v2 - y).pow(2).sum()
        losses.append(loss.item())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return losses, w1, w2
