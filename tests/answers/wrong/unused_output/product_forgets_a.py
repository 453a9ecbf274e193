"""The product gives a no part.

Meets: both: has a part in the product too
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
        grad_a = None if grad_sine is None else grad_sine * a.cos()
        grad_b = None if grad_product is None else grad_product * a
        return grad_a, grad_b
