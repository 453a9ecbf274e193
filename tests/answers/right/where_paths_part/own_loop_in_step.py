"""Both trainings side by side, in a loop of its own."""

import torch


def where_paths_part(x, y, w1, w2, relu_a, relu_b, learning_rate, steps):
    runs = [([w.detach().clone().requires_grad_() for w in (w1, w2)], relu) for relu in (relu_a, relu_b)]
    before = 0
    for t in range(steps):
        losses = []
        zeros = (x.mm(runs[0][0][0]) == 0).sum().item()
        for (v1, v2), relu in runs:
            loss = (relu(x.mm(v1)).mm(v2) - y).pow(2).sum()
            losses.append(loss.item())
            v1.grad = v2.grad = None
            loss.backward()
            with torch.no_grad():
                v1 -= learning_rate * v1.grad
                v2 -= learning_rate * v2.grad
        if losses[0] != losses[1]:
            return t, before
        before = zeros
    return None, 0
