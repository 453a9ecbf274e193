"""The parts are added in place, in the upstream gradient itself.

Meets: upstream untouched: Work on a copy
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
        if grad_product is not None:
            grad_b = grad_product * a
            grad_a = grad_product * b
        if grad_sine is not None:
            part = grad_sine.mul_(a.cos())
            grad_a = part if grad_a is None else grad_a + part
        return grad_a, grad_b
