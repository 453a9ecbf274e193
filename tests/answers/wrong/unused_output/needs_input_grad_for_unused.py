"""needs_input_grad is taken for the question which output is used.

Meets: product alone: ask `is not None`
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
        if ctx.needs_input_grad[0]:
            grad_a = grad_sine * a.cos() + grad_product * b
        if ctx.needs_input_grad[1]:
            grad_b = grad_product * a
        return grad_a, grad_b
