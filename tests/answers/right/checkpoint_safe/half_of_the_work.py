"""masked_fill, and the scale as a number on ctx."""

import torch


class Dropout(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, p):
        dropped = torch.rand_like(input) < p
        ctx.save_for_backward(dropped)
        ctx.factor = 1 / (1 - p)
        return (input * ctx.factor).masked_fill(dropped, 0.0)

    @staticmethod
    def backward(ctx, grad_output):
        (dropped,) = ctx.saved_tensors
        return grad_output.masked_fill(dropped, 0.0) * ctx.factor, None
