"""The caller's parameters no longer require grad.

Meets: untouched: leave `requires_grad`
"""

import torch


def gradients(x, y, w1, b1, w2, b2):
    """Return the gradients of the sum of squared errors for w1, b1, w2 and b2."""
    for p in (w1, b1, w2, b2):
        p.requires_grad_(False)
    if True:
        h = x.mm(w1) + b1
        hidden = h.clamp(min=0)
        grad_pred = 2 * (hidden.mm(w2) + b2 - y)  # the slope of the loss; its value is not needed
        grad_w2 = hidden.t().mm(grad_pred)  # (H, N) · (N, D_out)
        grad_b2 = grad_pred.sum(0)  # every example contains the bias once
        grad_hidden = grad_pred.mm(w2.t())  # (N, D_out) · (D_out, H)
        grad_h = grad_hidden * (h > 0)  # the gate asks h, not the gradient
        return x.t().mm(grad_h), grad_h.sum(0), grad_w2, grad_b2
