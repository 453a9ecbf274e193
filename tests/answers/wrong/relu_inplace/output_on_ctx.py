"""The changed tensor stays on ctx, and a later change of it goes unseen.

Meets: stale: use ctx.save_for_backward
"""

import torch


class ReLUInPlace(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.mark_dirty(input)
        ctx.output = input.clamp_(min=0)
        return ctx.output

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * (ctx.output > 0)
