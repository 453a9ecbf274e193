"""Asks for None, and puts zeros in its place.

Meets: sine alone: gets zeros instead of None
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
        grad_sine = torch.zeros_like(a) if grad_sine is None else grad_sine
        grad_product = torch.zeros_like(a) if grad_product is None else grad_product
        return grad_sine * a.cos() + grad_product * b, grad_product * a
