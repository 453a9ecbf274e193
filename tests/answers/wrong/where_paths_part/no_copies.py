"""Both trainings change the same weights.

Meets: < and <=: give each a copy
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
    a, zeros = train(x, y, w1, w2, relu_a, learning_rate, steps)
    b, _ = train(x, y, w1, w2, relu_b, learning_rate, steps)
    for t in range(steps):
        if a[t] != b[t]:
            return t, zeros[t - 1]
    return None, 0
