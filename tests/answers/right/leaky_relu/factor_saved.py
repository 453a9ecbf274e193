"""Saves the factor of each element, made with the input's dtype."""

import torch


class LeakyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, slope):
        factor = torch.ones_like(input).masked_fill(input <= 0, slope)
        ctx.save_for_backward(factor)
        return torch.nn.functional.leaky_relu(input, slope)

    @staticmethod
    def backward(ctx, grad_output):
        (factor,) = ctx.saved_tensors
        return grad_output * factor, None
