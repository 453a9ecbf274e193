"""The slope is computed by numpy, from a detached tensor.

Meets: second derivative: to a second derivative it is a constant
"""

import numpy as np
import torch


class Softplus(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.nn.functional.softplus(x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        slope = 1 / (1 + np.exp(-x.detach().cpu().numpy()))
        return grad_output * torch.as_tensor(slope).to(x)


def gradient_penalty(critic, x):
    x = x.detach().requires_grad_()
    (grad,) = torch.autograd.grad(critic(x).sum(), x, create_graph=True)
    return (grad.norm(dim=1) - 1).square().mean()
