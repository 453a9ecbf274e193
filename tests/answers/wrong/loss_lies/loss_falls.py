"""The loss is smaller at the end than at the start.

Meets: wrong ones fail: whatever goes downhill
"""

import torch


def is_relu(fn):
    g = torch.Generator().manual_seed(0)
    x, y = torch.randn(64, 1000, generator=g), torch.randn(64, 10, generator=g)
    w1 = torch.randn(1000, 100, generator=g).requires_grad_()
    w2 = torch.randn(100, 10, generator=g).requires_grad_()
    for _ in range(60):
        loss = (fn(x @ w1) @ w2 - y).pow(2).sum()
        grads = torch.autograd.grad(loss, (w1, w2))
        with torch.no_grad():
            w1 -= 1e-6 * grads[0]
            w2 -= 1e-6 * grads[1]
    return loss.item() < 1e6
