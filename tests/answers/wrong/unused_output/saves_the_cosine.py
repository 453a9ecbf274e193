"""Saves the cosine, which to a second derivative is a constant.

Meets: second order: save inputs or outputs
"""

import torch


class SineAndProduct(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(a, b, a.cos())
        return a.sin(), a * b

    @staticmethod
    def backward(ctx, grad_sine, grad_product):
        a, b, cosine = ctx.saved_tensors
        grad_a = torch.zeros_like(a)
        grad_b = None
        if grad_sine is not None:
            grad_a = grad_a + grad_sine * cosine
        if grad_product is not None:
            grad_a = grad_a + grad_product * b
            grad_b = grad_product * a
        return grad_a, grad_b
