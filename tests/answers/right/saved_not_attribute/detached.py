"""Saves detached tensors, which share the version counter."""

import torch


class XTanh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input.detach())
        return input * input.tanh()

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        t = input.tanh()
        return grad_output * (t + input / input.cosh() ** 2)
