"""The newer style."""

import torch


class SquaredNorm(torch.autograd.Function):
    @staticmethod
    def forward(*tensors):
        return sum(t.square().sum() for t in tensors)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        return tuple(2 * grad_output * t for t in ctx.saved_tensors)


squared_norm = lambda tensors: SquaredNorm.apply(*tensors)
