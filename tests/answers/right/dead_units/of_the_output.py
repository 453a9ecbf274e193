"""Looks at ReLU's output, which keeps nan; own loop with backward."""

import torch


def dead_units(x, y, w1, w2, learning_rates, steps):
    counts = []
    for rate in learning_rates:
        v1, v2 = (w.detach().clone().requires_grad_() for w in (w1, w2))
        optimizer = torch.optim.SGD([v1, v2], lr=rate)
        for _ in range(steps):
            optimizer.zero_grad()
            (x.mm(v1).clamp(min=0).mm(v2) - y).square().sum().backward()
            optimizer.step()
        out = x.mm(v1).relu().detach()
        lost = int(out.isnan().any(0).sum())
        counts.append([int((out == 0).all(0).sum()), lost])
    return counts
