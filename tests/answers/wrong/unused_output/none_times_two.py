"""Asks for None and multiplies it.

Meets: product alone: ask `is not None`
"""

import torch


class SineAndProduct(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(a, b)
        return a.sin(), a * b

    @staticmethod
    def backward(ctx, grad_sine, grad_product):
        a, b = ctx.saved_tensors
        return grad_sine * a.cos() + grad_product * b, grad_product * a
