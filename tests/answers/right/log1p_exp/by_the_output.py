"""Saves the output: the slope is 1 - exp(-y), by expm1 with all digits. setup_context style."""

import torch


class Log1pExp(torch.autograd.Function):
    @staticmethod
    def forward(input):
        return torch.logaddexp(input, torch.zeros_like(input))

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, grad_output):
        (output,) = ctx.saved_tensors
        return -torch.expm1(-output) * grad_output
