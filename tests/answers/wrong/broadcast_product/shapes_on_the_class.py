"""The shapes are kept on the class, so the next call overwrites them.

Meets: two shapes: on the class
"""

import torch


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        Product.shapes = x.shape, y.shape
        return x * y

    @staticmethod
    def backward(ctx, grad_output):
        x, y = ctx.saved_tensors
        shape_x, shape_y = Product.shapes
        return (grad_output * y).sum_to_size(shape_x), (grad_output * x).sum_to_size(shape_y)
