"""A loop over the examples keeps the gradient of the last.

Meets: last layer: The first lines of the way back
"""

import torch


@torch.no_grad()
def gradients(x, y, w1, b1, w2, b2):
    for xn, yn in zip(x, y, strict=True):
        h = xn @ w1 + b1
        hidden = torch.relu(h)
        grad_b2 = 2 * (hidden @ w2 + b2 - yn)
        grad_w2 = torch.outer(hidden, grad_b2)
        grad_b1 = (w2 @ grad_b2) * (h > 0)
        grad_w1 = torch.outer(xn, grad_b1)
    return grad_w1, grad_b1, grad_w2, grad_b2
