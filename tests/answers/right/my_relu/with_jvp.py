"""Also defines jvp (forward-mode)."""

import torch


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        mask = input > 0
        ctx.save_for_backward(mask)
        ctx.save_for_forward(mask)
        return torch.where(mask, input, torch.zeros_like(input))

    @staticmethod
    def backward(ctx, grad_output):
        (mask,) = ctx.saved_tensors
        return grad_output * mask

    @staticmethod
    def jvp(ctx, tangent):
        (mask,) = ctx.saved_tensors
        return tangent * mask
