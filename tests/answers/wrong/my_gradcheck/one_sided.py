"""Compares without the absolute value: a gradient that is too small passes.

Meets: values: compare every number with its own difference
"""

import torch


def numerical_vjp(fn, inputs, upstream, eps=1e-6):
    gradients = []
    for i, x in enumerate(inputs):
        if not isinstance(x, torch.Tensor) or not x.requires_grad:
            continue
        x, slopes = x.detach(), []
        for unit in torch.eye(x.numel(), dtype=x.dtype, device=x.device):
            step = eps * unit.reshape(x.shape)
            up, down = (fn(*inputs[:i], moved, *inputs[i + 1 :]).detach() for moved in (x + step, x - step))
            slopes.append(((up - down) * upstream).sum() / (2 * eps))
        gradients.append(torch.stack(slopes).reshape(x.shape))
    return gradients


def my_gradcheck(fn, inputs):
    leaves = [x for x in inputs if isinstance(x, torch.Tensor) and x.requires_grad]
    y = fn(*inputs)
    for scale in (1, -10):
        g = scale * torch.randn_like(y)
        kept = g.clone()
        claimed = torch.autograd.grad(y, leaves, g, retain_graph=True, allow_unused=True, materialize_grads=True)
        if not torch.equal(g, kept):
            return False
        for a, b in zip(claimed, numerical_vjp(fn, inputs, kept), strict=True):
            if (a - b).max() > 1e-5:
                return False
    return True
