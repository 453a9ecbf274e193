"""backward() is called where nothing was recorded.

Meets: form: write one line for each operation
"""

import torch


def gradients(x, y, w1, b1, w2, b2):
    with torch.no_grad():
        loss = (torch.relu(x.mm(w1) + b1).mm(w2) + b2 - y).pow(2).sum()
    loss.backward()
    return w1.grad, b1.grad, w2.grad, b2.grad
