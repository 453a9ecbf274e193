"""A reshape where a transpose is meant: the shapes fit, the numbers do not.

Meets: last layer: the transpose is .t()
"""

import torch


@torch.no_grad()
def gradients(x, y, w1, b1, w2, b2):
    h = x.mm(w1) + b1
    hidden = h.clamp(min=0)
    grad_pred = 2 * (hidden.mm(w2) + b2 - y)
    grad_w2 = hidden.reshape(-1, len(x)).mm(grad_pred)
    grad_b2 = grad_pred.sum(0)
    grad_hidden = grad_pred.mm(w2.reshape(-1, len(w2)))
    grad_h = grad_hidden * (h > 0)
    grad_w1 = x.reshape(-1, len(x)).mm(grad_h)
    grad_b1 = grad_h.sum(0)
    return grad_w1, grad_b1, grad_w2, grad_b2
