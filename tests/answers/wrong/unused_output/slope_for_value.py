"""The slope of the sine is its value.

Meets: both: is the cosine
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
        grad_a = grad_b = None
        if grad_sine is not None:
            grad_a = grad_sine * a.sin()
        if grad_product is not None:
            part = grad_product * b
            grad_a = part if grad_a is None else grad_a + part
            grad_b = grad_product * a
        return grad_a, grad_b
