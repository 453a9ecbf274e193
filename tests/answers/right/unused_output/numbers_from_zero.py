"""Starts from the number 0, and asks needs_input_grad too."""

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
        grad_a, grad_b = 0, None
        if grad_sine is not None and ctx.needs_input_grad[0]:
            grad_a = grad_a + grad_sine * a.cos()
        if grad_product is not None:
            if ctx.needs_input_grad[0]:
                grad_a = grad_a + grad_product * b
            if ctx.needs_input_grad[1]:
                grad_b = grad_product * a
        return grad_a if isinstance(grad_a, torch.Tensor) else None, grad_b
