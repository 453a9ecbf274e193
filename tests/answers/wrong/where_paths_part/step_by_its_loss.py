"""The step is looked up by its loss: where the losses stand still the first such step is found.

Meets: any two: from the two lists of losses
"""

import torch


def train(x, y, w1, w2, relu, learning_rate, steps):
    """Given: train w1 and w2 in place; return (losses, zeros), one of each a step."""
    losses, zeros = [], []
    for _ in range(steps):
        h = x.mm(w1)
        loss = (relu(h).mm(w2) - y).pow(2).sum()
        losses.append(loss.item())
        zeros.append((h == 0).sum().item())
        grads = torch.autograd.grad(loss, [w1, w2])
        with torch.no_grad():
            w1 -= learning_rate * grads[0]
            w2 -= learning_rate * grads[1]
    return losses, zeros


def where_paths_part(x, y, w1, w2, relu_a, relu_b, learning_rate, steps):
    """Return (first step with another loss, zeros one step before), or (None, 0)."""
    runs = []
    for relu in (relu_a, relu_b):
        start = [w.detach().clone().requires_grad_() for w in (w1, w2)]  # train changes what it is given
        runs.append(train(x, y, *start, relu, learning_rate, steps))
    (losses_a, zeros), (losses_b, _) = runs
    for a, b in zip(losses_a, losses_b, strict=True):
        if a != b:
            t = losses_a.index(a)
            return t, zeros[t - 1]
    return None, 0
