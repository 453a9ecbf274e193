"""`grad or 0` asks a tensor for yes or no.

Meets: both: Ask `grad is not None`
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
        return (grad_sine or 0) * a.cos() + (grad_product or 0) * b, (grad_product or 0) * a
