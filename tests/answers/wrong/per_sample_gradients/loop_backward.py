"""A loop with backward(), which leaves gradients behind.

Meets: one pass: goes through the loss once for each
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
    leaves = {name: p.detach().clone().requires_grad_() for name, p in params.items()}
    found = {name: [] for name in params}
    for a, b in zip(x, y):
        loss(leaves, a, b).backward()
        for name, leaf in leaves.items():
            found[name].append(leaf.grad)
            leaf.grad = None
    return {name: torch.stack(g) for name, g in found.items()}
