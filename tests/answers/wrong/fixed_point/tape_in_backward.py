"""Runs the loop again in backward, under enable_grad, as a checkpoint does.

Meets: saved bytes: keeps each of them
"""

import torch


def loop(x, w):
    z = torch.zeros_like(x)
    for _ in range(250):
        z = torch.tanh(z @ w.t() + x)
    return z


class FixedPoint(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight):
        ctx.save_for_backward(input, weight)
        return loop(input, weight)

    @staticmethod
    def backward(ctx, grad_output):
        x, w = (t.detach().requires_grad_() for t in ctx.saved_tensors)
        with torch.enable_grad():
            z = loop(x, w)
        return torch.autograd.grad(z, (x, w), grad_output)
