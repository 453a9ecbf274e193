"""w2 is transposed only where the shapes ask for it.

Meets: other sizes: Something in it holds for some sizes only
"""

import torch


@torch.no_grad()
def gradients(x, y, w1, b1, w2, b2):
    h = x.mm(w1) + b1
    hidden = h.clamp(min=0)
    grad_pred = 2 * (hidden.mm(w2) + b2 - y)
    grad_w2 = hidden.t().mm(grad_pred)
    grad_b2 = grad_pred.sum(0)
    grad_hidden = grad_pred.mm(w2 if w2.shape[0] == w2.shape[1] else w2.t())
    grad_h = grad_hidden * (h > 0)
    grad_w1 = x.t().mm(grad_h)
    grad_b1 = grad_h.sum(0)
    return grad_w1, grad_b1, grad_w2, grad_b2
