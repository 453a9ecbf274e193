"""Slopes from two values of the loss, with a step at which they are nearly exact.

Meets: large errors: Differences of the loss lose their digits
"""

import torch


def loss_of(x, y, w1, b1, w2, b2):
    return (torch.relu(x.mm(w1) + b1).mm(w2) + b2 - y).pow(2).sum()


@torch.no_grad()
def gradients(x, y, w1, b1, w2, b2):
    params, eps = [p.clone() for p in (w1, b1, w2, b2)], 1e-3
    found = [torch.zeros_like(p) for p in params]
    for p, g in zip(params, found, strict=True):
        for i in range(p.numel()):
            flat, was = p.view(-1), p.view(-1)[i].item()
            flat[i] = was + eps
            above = loss_of(x, y, *params)
            flat[i] = was - eps
            below = loss_of(x, y, *params)
            flat[i] = was
            g.view(-1)[i] = (above - below) / (2 * eps)
    return tuple(found)
