"""Keeps the output as an attribute of ctx: a later change of it goes unseen, and it is never freed.

Meets: stale: use ctx.save_for_backward
"""

import torch


class Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.y = torch.softmax(x, -1)
        return ctx.y

    @staticmethod
    def backward(ctx, grad_output):
        return ctx.y * (grad_output - (grad_output * ctx.y).sum(-1, keepdim=True))
