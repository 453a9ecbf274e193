"""exp(-x) as 1 / exp(x); terms gathered by exponential; a tuple with one gradient."""

import torch


class Sinh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        e = torch.exp(x)
        r = 1 / e
        ctx.save_for_backward(e, r)
        return 0.5 * (e - r), e, r

    @staticmethod
    def backward(ctx, *grads):
        e, r = ctx.saved_tensors
        return (e * (grads[1] + grads[0] / 2) - r * (grads[2] - grads[0] / 2),)
