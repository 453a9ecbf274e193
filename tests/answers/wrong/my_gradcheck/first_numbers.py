"""Checks the first three numbers of each input.

Meets: values: compare every number with its own difference
"""

import torch


def my_gradcheck(fn, inputs):
    y = fn(*inputs)
    wanted = [i for i, x in enumerate(inputs) if torch.is_tensor(x) and x.requires_grad]
    g = torch.randn_like(y)
    kept = g.clone()
    grads = torch.autograd.grad(y, [inputs[i] for i in wanted], g, allow_unused=True, materialize_grads=True)
    if (g != kept).any():
        return False
    for i, grad in zip(wanted, grads):
        x = inputs[i].detach()
        for j, unit in list(enumerate(torch.eye(x.numel(), dtype=x.dtype, device=x.device)))[:3]:
            h = 1e-6 * unit.reshape(x.shape)
            change = fn(*inputs[:i], x + h, *inputs[i + 1 :]) - fn(*inputs[:i], x - h, *inputs[i + 1 :])
            slope = (change.detach() * kept).sum() / 2e-6
            if abs(slope - grad.reshape(-1)[j]) > 1e-6 * (1 + abs(slope)):
                return False
    return True
