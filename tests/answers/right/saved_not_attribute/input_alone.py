"""Saves the input alone and computes the rest again."""

import torch


class XTanh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return input * torch.tanh(input)

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        t = torch.tanh(input)
        return grad_output * (t + input * (1 - t**2))
