"""einsum throughout, under a decorator."""

import torch


@torch.no_grad()
def gradients(x, y, w1, b1, w2, b2):
    h = torch.einsum("nd,dh->nh", x, w1) + b1
    hidden = h.clamp_min(0)
    slope = 2 * (torch.einsum("nh,ho->no", hidden, w2) + b2 - y)
    back = torch.einsum("no,ho,nh->nh", slope, w2, (h > 0).to(h.dtype))
    return (
        torch.einsum("nd,nh->dh", x, back),
        torch.einsum("nh->h", back),
        torch.einsum("nh,no->ho", hidden, slope),
        torch.einsum("no->o", slope),
    )
