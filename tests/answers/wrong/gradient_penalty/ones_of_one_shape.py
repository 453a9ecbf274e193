"""Ones of shape (N,) do not fit a critic that returns (N, 1).

Meets: penalty: make the ones with torch.ones_like(scores)
"""

import torch


class Softplus(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.nn.functional.softplus(x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * torch.sigmoid(x)


def gradient_penalty(critic, x):
    x = x.detach().requires_grad_()
    (grad,) = torch.autograd.grad(critic(x), x, torch.ones(len(x), dtype=x.dtype, device=x.device), create_graph=True)
    return (grad.norm(dim=1) - 1).square().mean()
