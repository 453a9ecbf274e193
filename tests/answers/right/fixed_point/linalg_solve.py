"""Solves the linear equation directly, for each example."""

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
        W, z = ctx.saved_tensors
        D = torch.diag_embed(1 - z**2)  # (N, d, d)
        J = torch.eye(W.shape[0], dtype=W.dtype, device=W.device) - D @ W
        v = torch.linalg.solve(J.mT, grad_output.unsqueeze(-1))
        v = (D @ v).squeeze(-1)
        return v, torch.einsum("ni,nj->ij", v, z)
