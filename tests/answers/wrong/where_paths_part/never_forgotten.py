"""Says the last step where no step differs.

Meets: never: return (None, 0)
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
    start_a = [w.detach().clone().requires_grad_() for w in (w1, w2)]
    start_b = [w.detach().clone().requires_grad_() for w in (w1, w2)]
    a, zeros = train(x, y, *start_a, relu_a, learning_rate, steps)
    b, _ = train(x, y, *start_b, relu_b, learning_rate, steps)
    t = 0
    while t < steps - 1 and a[t] == b[t]:
        t += 1
    return t, zeros[t - 1]
