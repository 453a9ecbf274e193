"""The weight stands the wrong way round in the gradient of the input.

Meets: returned: the input gradient is weight.t() @ grad_output
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
        input, weight, _ = inputs
        ctx.save_for_backward(input, weight)

    @staticmethod
    def backward(ctx, grad_output):
        input, weight = ctx.saved_tensors
        return weight @ grad_output, torch.outer(grad_output, input), grad_output


def per_sample_gradients(loss, params, x, y):
    return vmap(grad(loss), in_dims=(None, 0, 0))(params, x, y)
