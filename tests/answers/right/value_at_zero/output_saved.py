"""Saves the output; floats in the table."""

import torch


class TorchReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        output = torch.relu(input)
        ctx.save_for_backward(output)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        (output,) = ctx.saved_tensors
        return torch.where(output > 0, grad_output, 0)


def slopes_at_zero():
    return {
        "torch.relu(x)": 0.0,
        "x.clamp(min=0)": 1.0,
        "torch.maximum(x, zero)": 0.5,
        "torch.where(x > 0, x, 0)": 0.0,
        "x * (x > 0)": 0.0,
        "(x + x.abs()) / 2": 0.5,
        "MyReLU.apply(x)": 1.0,
    }
