"""@ and .T, one with block, the mask of a where."""

import torch


def gradients(x, y, w1, b1, w2, b2):
    with torch.no_grad():
        h = x @ w1 + b1
        a = torch.relu(h)
        g = (a @ w2 + b2 - y) * 2.0
        dw2, db2 = a.T @ g, g.sum(dim=0)
        dh = torch.where(h > 0, g @ w2.T, 0.0)
        return [x.T @ dh, dh.sum(dim=0), dw2, db2]
