"""Saves the arguments and solves forward again in backward: even z is not kept."""

import torch


def solve(step, z, most=250):
    for _ in range(most):
        z = step(z)
    return z


class FixedPoint(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight):
        ctx.save_for_backward(input, weight)
        return solve(lambda z: (z @ weight.t()).add_(input).tanh_(), torch.zeros_like(input))

    @staticmethod
    def backward(ctx, grad_output):
        input, weight = ctx.saved_tensors
        z = solve(lambda z: torch.tanh(z @ weight.t() + input), torch.zeros_like(input))
        v = solve(lambda v: (1 - z * z) * (grad_output + v @ weight), grad_output * 0)
        return v, v.t().mm(z)
