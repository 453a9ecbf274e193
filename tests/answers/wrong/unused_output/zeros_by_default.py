"""Leaves zeros for what nobody used, as torch does by itself.

Meets: sine alone: gets zeros instead of None
"""

import torch


class SineAndProduct(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a.sin(), a * b

    @staticmethod
    def backward(ctx, grad_sine, grad_product):
        a, b = ctx.saved_tensors
        return grad_sine * a.cos() + grad_product * b, grad_product * a
