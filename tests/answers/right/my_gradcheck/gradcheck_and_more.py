"""torch's gradcheck with small tolerances, then the Jacobian under a signed upstream gradient."""

import torch
from torch.autograd import gradcheck


def my_gradcheck(fn, inputs):
    if not gradcheck(fn, inputs, rtol=1e-6, atol=1e-6, raise_exception=False):
        return False
    copies = [a.detach().clone().requires_grad_(a.requires_grad) if isinstance(a, torch.Tensor) else a for a in inputs]
    wanted = [a for a in copies if isinstance(a, torch.Tensor) and a.requires_grad]

    def vjp(g):
        found = torch.autograd.grad(fn(*copies), wanted, g, allow_unused=True)
        return [torch.zeros_like(w) if f is None else f for f, w in zip(found, wanted)]

    y = fn(*copies).detach()
    a, b = torch.randn_like(y), torch.randn_like(y)
    before = a.clone()
    linear = all(torch.allclose(s, p - q) for s, p, q in zip(vjp(before - b), vjp(a), vjp(b)))
    return linear and all(torch.allclose(p, -n) for p, n in zip(vjp(before.clone()), vjp(-before))) and torch.equal(a, before)
