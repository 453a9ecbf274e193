"""Ten steps for the adjoint, which is not enough where a step shrinks by little.

Meets: upstream: not enough
"""

import torch


def iterate(step, start):
    z = start
    for _ in range(1000):
        before, z = z, step(z)
        if torch.allclose(z, before, rtol=1e-13, atol=1e-13):
            break
    return z


class FixedPoint(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight):
        z = iterate(lambda z: torch.tanh(z @ weight.t() + input), torch.zeros_like(input))
        ctx.save_for_backward(weight, z)
        return z

    @staticmethod
    def backward(ctx, grad_output):
        weight, z = ctx.saved_tensors
        v = torch.zeros_like(grad_output)
        for _ in range(10):
            v = (1 - z * z) * (grad_output + v @ weight)
        return v, v.t() @ z
