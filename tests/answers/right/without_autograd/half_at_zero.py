"""The forward by torch.maximum, whose slope at 0 is one half; addmm, and a default argument more."""

import torch


@torch.no_grad()
def gradients(x, y, w1, b1, w2, b2, scale=2.0):
    zero = x.new_zeros(())
    h = torch.addmm(b1, x, w1)
    hidden = torch.maximum(h, zero)
    grad_pred = scale * (torch.addmm(b2, hidden, w2) - y)
    grad_h = grad_pred.mm(w2.t()) * torch.heaviside(h, zero + 0.5)
    return x.t().mm(grad_h), grad_h.sum(0), hidden.t().mm(grad_pred), grad_pred.sum(0)
