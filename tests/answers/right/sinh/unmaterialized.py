"""Gradients of unused outputs stay None, and are passed over."""

import torch


class Sinh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        grown, shrunk = x.exp(), (-x).exp()
        ctx.save_for_backward(grown, shrunk)
        return (grown - shrunk) / 2, grown, shrunk

    @staticmethod
    def backward(ctx, *grads):
        grown, shrunk = ctx.saved_tensors
        slopes = ((grown + shrunk) / 2, grown, -shrunk)
        terms = [grad * slope for grad, slope in zip(grads, slopes) if grad is not None]
        return sum(terms) if terms else None
