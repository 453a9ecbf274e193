"""A unit that is awake by little counts as dead.

Meets: counting: dead where h <= 0
"""

import torch


def train(x, y, w1, w2, learning_rate, steps):
    for _ in range(steps):
        loss = (torch.relu(x.mm(w1)).mm(w2) - y).pow(2).sum()
        grads = torch.autograd.grad(loss, [w1, w2])
        with torch.no_grad():
            w1 -= learning_rate * grads[0]
            w2 -= learning_rate * grads[1]


def dead_units(x, y, w1, w2, learning_rates, steps):
    counts = []
    for learning_rate in learning_rates:
        start = [w.detach().clone().requires_grad_() for w in (w1, w2)]
        train(x, y, *start, learning_rate, steps)
        h = x.mm(start[0].detach())
        dead = (h.amax(dim=0) <= 1e-3).sum().item()
        lost = h.isnan().any(dim=0).sum().item()
        counts.append((dead, lost))
    return counts
