"""An autograd Function in place of an operator.

Meets: form: Hand over what @torch.library.custom_op made
"""

import torch


class moving_sum(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, width):
        ctx.width = width
        return x.unfold(-1, width, 1).sum(-1)

    @staticmethod
    def backward(ctx, g):
        padded = torch.nn.functional.pad(g, (ctx.width - 1, ctx.width - 1))
        return padded.unfold(-1, ctx.width, 1).sum(-1), None
