"""The second part overwrites the first.

Meets: both: part is missing in the gradient of a
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
            grad_a = grad_sine * a.cos()
        if grad_product is not None:
            grad_a = grad_product * b
            grad_b = grad_product * a
        return grad_a, grad_b
