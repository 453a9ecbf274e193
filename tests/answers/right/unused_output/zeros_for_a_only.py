"""Starts from zeros for a, which has a part in both outputs."""

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
        grad_a = torch.zeros_like(a)
        if grad_sine is not None:
            grad_a = grad_a + grad_sine * a.cos()
        if grad_product is None:
            return grad_a, None
        return torch.addcmul(grad_a, grad_product, b), grad_product * a
