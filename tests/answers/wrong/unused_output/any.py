"""Asks whether a gradient is all zeros, and takes that for unused.

Meets: zeros: Ask whether a gradient is None
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
        grad_a = grad_sine * a.cos() + grad_product * b
        return grad_a, grad_product * a if grad_product.any() else None
