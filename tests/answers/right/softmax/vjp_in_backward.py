"""Saves the input; torch.func.vjp does the rest in backward."""

import torch


class Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.softmax(x, -1)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        _, vjp = torch.func.vjp(lambda rows: torch.softmax(rows, -1), x)
        return vjp(grad_output)[0]
