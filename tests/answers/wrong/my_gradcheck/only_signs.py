"""gradcheck, and backward(-g) = -backward(g).

Meets: upstream: signed numbers of different sizes
"""

import torch
from torch.autograd import gradcheck


def my_gradcheck(fn, inputs):
    if not gradcheck(fn, inputs, rtol=1e-6, atol=1e-6, raise_exception=False):
        return False
    y = fn(*inputs)
    wanted = [x for x in inputs if isinstance(x, torch.Tensor) and x.requires_grad]
    g = torch.randn_like(y)
    kept = g.clone()

    def vjp(g):
        return torch.autograd.grad(y, wanted, g, retain_graph=True, allow_unused=True, materialize_grads=True)

    return all(torch.allclose(a, -b) for a, b in zip(vjp(g), vjp(-kept))) and torch.equal(g, kept)
