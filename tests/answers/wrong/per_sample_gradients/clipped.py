"""The gradients are clipped, as DP-SGD does in its next step.

Meets: a loop: others than those of a loop
"""

import torch
from torch.func import grad, vmap


class LinearFunction(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(input, weight, bias):
        return weight @ input + bias

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs[:2])

    @staticmethod
    def backward(ctx, grad_output):
        input, weight = ctx.saved_tensors
        return grad_output @ weight, torch.outer(grad_output, input), grad_output


def per_sample_gradients(loss, params, x, y):
    found = vmap(grad(loss), in_dims=(None, 0, 0))(params, x, y)
    norms = sum(g.flatten(1).pow(2).sum(1) for g in found.values()).sqrt()
    scale = (1 / norms).clamp(max=1)
    return {name: g * scale.reshape(-1, *[1] * (g.dim() - 1)) for name, g in found.items()}
