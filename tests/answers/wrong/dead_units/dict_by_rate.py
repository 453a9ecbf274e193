"""The counts stand in a dict by their rate: a rate that is asked for twice has one.

Meets: a rate twice: a rate may come twice
"""

import torch


def train(x, y, w1, w2, learning_rate, steps):
    """Given: train w1 and w2 in place."""
    for _ in range(steps):
        loss = (torch.relu(x.mm(w1)).mm(w2) - y).pow(2).sum()
        grads = torch.autograd.grad(loss, [w1, w2])
        with torch.no_grad():
            w1 -= learning_rate * grads[0]
            w2 -= learning_rate * grads[1]


def dead_units(x, y, w1, w2, learning_rates, steps):
    """Return [(dead, lost), ...], one pair for each learning rate."""
    counts = {}
    for learning_rate in learning_rates:
        start = [w.detach().clone().requires_grad_() for w in (w1, w2)]  # train changes what it is given
        train(x, y, *start, learning_rate, steps)
        h = x.mm(start[0].detach())
        dead = (h <= 0).all(dim=0).sum().item()
        lost = h.isnan().any(dim=0).sum().item()
        counts[learning_rate] = (dead, lost)
    return list(counts.values())
