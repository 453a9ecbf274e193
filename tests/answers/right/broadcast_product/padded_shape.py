"""The shape is filled up with ones in front; only sizes that differ are summed."""

import torch


def summed(grad, shape):
    padded = [1] * (grad.dim() - len(shape)) + list(shape)
    for i, (whole, mine) in enumerate(zip(grad.shape, padded)):
        if whole != mine:
            grad = grad.sum(i, keepdim=True)
    return grad.view(shape)


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx, grad_output):
        x, y = ctx.saved_tensors
        return summed(grad_output * y, x.shape), summed(grad_output * x, y.shape)
