"""As deep equilibrium models are often written: one step under enable_grad, whose vector-Jacobian product is repeated."""

import torch
from torch.autograd.function import once_differentiable


def f(z, x, w):
    return torch.tanh(torch.nn.functional.linear(z, w) + x)


class FixedPoint(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        z = torch.zeros_like(x)
        for _ in range(2000):
            new = f(z, x, w)
            if (new - z).norm() < 1e-14:
                break
            z = new
        ctx.save_for_backward(x, w, new)
        return new

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        x, w, z = [t.detach().requires_grad_() for t in ctx.saved_tensors]
        with torch.enable_grad():
            out = f(z, x, w)
        u = g
        for _ in range(2000):
            new = g + torch.autograd.grad(out, z, u, retain_graph=True)[0]
            if (new - u).norm() < 1e-13:
                break
            u = new
        return torch.autograd.grad(out, (x, w), u)
