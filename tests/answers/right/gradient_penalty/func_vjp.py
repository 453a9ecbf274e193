"""torch.func.vjp in the penalty, a Function of its own for the slope."""

import torch
from torch.autograd import Function


class Logistic(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return torch.sigmoid(x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, g):
        (s,) = ctx.saved_tensors
        return g * s * (1 - s)


class Softplus(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return torch.nn.functional.softplus(x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0])

    @staticmethod
    def backward(ctx, g):
        return g * Logistic.apply(ctx.saved_tensors[0])


def gradient_penalty(critic, x):
    grad = torch.func.grad(lambda x: critic(x).sum())(x)
    return torch.mean((grad.norm(p=2, dim=1) - 1.0) ** 2)
