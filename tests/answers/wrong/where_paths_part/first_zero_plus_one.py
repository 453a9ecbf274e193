"""Looks for the first zero and never compares.

Meets: < and <=: Compare the two lists of losses
"""

import torch


def train(x, y, w1, w2, relu, learning_rate, steps):
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
    start = [w.detach().clone().requires_grad_() for w in (w1, w2)]
    _, zeros = train(x, y, *start, relu_a, learning_rate, steps)
    for t in range(steps):
        if zeros[t]:
            return t + 1, zeros[t]
    return None, 0
