"""The gate opens at 0.001.

Meets: small and large h: open where h > 0, however small
"""

import torch


@torch.no_grad()
def gradients(x, y, w1, b1, w2, b2):
    h = x.mm(w1) + b1
    hidden = h.clamp(min=0)
    grad_pred = 2 * (hidden.mm(w2) + b2 - y)
    grad_w2 = hidden.t().mm(grad_pred)
    grad_b2 = grad_pred.sum(0)
    grad_hidden = grad_pred.mm(w2.t())
    grad_h = grad_hidden * (h > 1e-3)
    grad_w1 = x.t().mm(grad_h)
    grad_b1 = grad_h.sum(0)
    return grad_w1, grad_b1, grad_w2, grad_b2
