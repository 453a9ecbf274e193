"""needs_input_grad in both; other names; setup_context."""

import torch
from torch.autograd import Function


class CubeBackward(Function):
    @staticmethod
    def forward(grad, x):
        with torch.no_grad():
            return 3 * x**2 * grad

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, v):
        grad, x = ctx.saved_tensors
        to_grad = 3 * x**2 * v if ctx.needs_input_grad[0] else None
        to_x = 6 * x * grad * v if ctx.needs_input_grad[1] else None
        return to_grad, to_x


class Cube(Function):
    @staticmethod
    def forward(x):
        return x.detach() ** 3

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0])

    @staticmethod
    def backward(ctx, g):
        return (CubeBackward.apply(g, *ctx.saved_tensors),)
