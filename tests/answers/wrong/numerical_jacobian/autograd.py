"""torch's own derivative.

Meets: second order: this is torch's derivative
"""

import torch


def numerical_jacobian(fn, x, eps=1e-6):
    x = x.detach().double().requires_grad_()
    return torch.stack([torch.autograd.grad(one, x, retain_graph=True)[0].reshape(-1) for one in fn(x).reshape(-1)])
