"""The factors are kept as attributes of ctx, where a later change of them goes unseen.

Meets: stale: use ctx.save_for_backward
"""

import torch


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.x, ctx.y = x, y
        return x * y

    @staticmethod
    def backward(ctx, grad_output):
        return (grad_output * ctx.y).sum_to_size(ctx.x.shape), (grad_output * ctx.x).sum_to_size(ctx.y.shape)
