"""Step and zeros are returned as tensors."""

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
    runs = []
    for relu in (relu_a, relu_b):
        start = [w.detach().clone().requires_grad_() for w in (w1, w2)]
        runs.append(train(x, y, *start, relu, learning_rate, steps))
    (losses_a, zeros), (losses_b, zb) = runs
    for t, (a, b) in enumerate(zip(losses_a, losses_b)):
        if a != b:
            return torch.tensor(t), torch.tensor(zeros[t - 1])
    return None, 0
