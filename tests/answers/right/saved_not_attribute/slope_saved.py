"""Saves the finished slope: one tensor, whatever backward needs of it."""

import torch


class XTanh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        t = torch.tanh(input)
        ctx.save_for_backward(t + input * (1 - t.square()))
        return input * t

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.saved_tensors[0]
