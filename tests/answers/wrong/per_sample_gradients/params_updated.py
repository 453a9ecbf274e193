"""A step is taken with the gradients.

Meets: untouched: belong to the caller
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
    for name, p in params.items():
        params[name] = p - 0.1 * found[name].mean(0)
    return found
