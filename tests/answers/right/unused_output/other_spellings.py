"""One expression for each gradient; forward by other spellings."""

import torch


class SineAndProduct(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        ctx.set_materialize_grads(value=False)
        return torch.sin(a), torch.mul(a, b)

    @staticmethod
    def backward(ctx, grad_sine, grad_product):
        a, b = ctx.saved_tensors
        of_sine = None if grad_sine is None else grad_sine * torch.cos(a)
        of_product = None if grad_product is None else torch.mul(grad_product, b)
        grad_a = of_sine if of_product is None else of_product if of_sine is None else of_sine + of_product
        return grad_a, grad_product if grad_product is None else grad_product * a
