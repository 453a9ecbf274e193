"""Runs the program and reads the table off."""

import torch


def leaf_table():
    x = torch.tensor(2.0, requires_grad=True)
    w = torch.tensor(1.0, requires_grad=True)
    c = torch.tensor(3.0)
    p = x * c
    d = p.detach()
    s = p + x
    s.retain_grad()
    y = s * w
    y.backward()
    with torch.no_grad():
        new = x - x.grad
        w -= w.grad
    tensors = dict(x=x, w=w, c=c, p=p, d=d, s=s, y=y, new=new)
    return {name: (t.is_leaf, t.requires_grad, t.grad_fn and t.grad_fn.name(), t.grad) for name, t in tensors.items()}
