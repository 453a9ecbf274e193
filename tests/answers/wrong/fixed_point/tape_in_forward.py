"""Records the loop under enable_grad in forward, and goes back through its tape.

Meets: saved bytes: keeps each of them
"""

import torch


class FixedPoint(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight):
        ctx.x = input.detach().requires_grad_()
        ctx.w = weight.detach().requires_grad_()
        with torch.enable_grad():
            z = torch.zeros_like(input)
            for _ in range(250):
                z = torch.tanh(z @ ctx.w.t() + ctx.x)
        ctx.z = z
        return z.detach()

    @staticmethod
    def backward(ctx, grad_output):
        return torch.autograd.grad(ctx.z, (ctx.x, ctx.w), grad_output, retain_graph=True)
