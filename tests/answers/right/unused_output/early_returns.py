"""One return for each case."""

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
        if grad_sine is None and grad_product is None:
            return None, None
        if grad_product is None:
            return grad_sine * a.cos(), None
        if grad_sine is None:
            return grad_product * b, grad_product * a
        return grad_sine * a.cos() + grad_product * b, grad_product * a
