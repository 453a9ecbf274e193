"""A vmap method for forward in the place of the generated one."""

import torch
from torch.func import grad, vmap


class LinearFunction(torch.autograd.Function):
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

    @staticmethod
    def vmap(info, in_dims, *tensors):
        rows = [t.expand(info.batch_size, *t.shape) if d is None else t.movedim(d, 0) for t, d in zip(tensors, in_dims)]
        outputs = [LinearFunction.apply(*row) for row in zip(*rows)]
        return torch.stack(outputs), 0


def per_sample_gradients(loss, params, x, y):
    return vmap(grad(loss), in_dims=(None, 0, 0))(params, x, y)
