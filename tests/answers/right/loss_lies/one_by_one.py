"""A loop over a few numbers."""

import torch


def is_relu(fn):
    for value in (-3.0, -0.1, 0.1, 3.0):
        for upstream in (-2.0, 5.0):
            x = torch.tensor(value, requires_grad=True)
            (grad,) = torch.autograd.grad(fn(x), x, torch.tensor(upstream))
            if grad.item() != (upstream if value > 0 else 0.0):
                return False
    return True
