"""grad_output and the other factor are summed first, and then multiplied.

Meets: upstream: Multiply first, then sum
"""

import torch


def summed(grad, shape):
    return grad.sum_to_size(shape)


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx, grad_output):
        x, y = ctx.saved_tensors
        grad_x = summed(grad_output, x.shape) * summed(y.expand_as(grad_output), x.shape)
        grad_y = summed(grad_output, y.shape) * summed(x.expand_as(grad_output), y.shape)
        return grad_x, grad_y
