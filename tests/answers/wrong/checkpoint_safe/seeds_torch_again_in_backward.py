"""backward sets torch's own seed to draw the same again: whoever draws next meets old numbers.

Meets: random: leave their seed alone
"""

import torch


class Dropout(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, p):
        """Return input with elements dropped with probability p (0 ≤ p < 1), and the rest divided by 1 - p."""
        # torch's own random numbers: the checkpoint restores their state before the second run.
        ctx.seed, ctx.p = torch.randint(2**31, ()).item(), p
        torch.manual_seed(ctx.seed)
        scale = (torch.rand_like(input) >= p).to(input.dtype) / (1 - p)
        return input * scale

    @staticmethod
    def backward(ctx, grad_output):
        """Return the gradient for input, and None for p."""
        torch.manual_seed(ctx.seed)
        p, input = ctx.p, grad_output
        scale = (torch.rand_like(input) >= p).to(input.dtype) / (1 - p)
        return grad_output * scale, None
