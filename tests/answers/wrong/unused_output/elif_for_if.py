"""With elif only one of the two parts is sent.

Meets: both: only one of the two parts
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
        elif grad_product is not None:
            grad_a = grad_product * b
            grad_b = grad_product * a
        return grad_a, grad_b
