"""Saves and computes only what somebody asks for."""

import torch


def summed(grad, shape):
    while len(grad.shape) > len(shape):
        grad = grad.sum(dim=0)
    return grad.sum_to_size(shape)


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        need_x, need_y = ctx.needs_input_grad
        ctx.save_for_backward(y if need_x else None, x if need_y else None)
        ctx.shapes = x.shape, y.shape
        return torch.mul(x, y)

    @staticmethod
    def backward(ctx, grad_output):
        pairs = zip(ctx.saved_tensors, ctx.shapes)
        return tuple(None if other is None else summed(grad_output * other, shape) for other, shape in pairs)
