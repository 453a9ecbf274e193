"""A vmap method that loops over the examples."""

import torch


class FuncReLU(torch.autograd.Function):
    @staticmethod
    def forward(input):
        return input.clamp(min=0)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        return grad_output * (input > 0)

    @staticmethod
    def vmap(info, in_dims, input):
        rows = input.unbind(in_dims[0])
        return torch.stack([FuncReLU.apply(row) for row in rows]), 0
