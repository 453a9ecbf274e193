"""The newer style."""

import torch


class SineAndProduct(torch.autograd.Function):
    @staticmethod
    def forward(a, b):
        return torch.sin(a), a * b

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.set_materialize_grads(False)

    @staticmethod
    def backward(ctx, *grads):
        a, b = ctx.saved_tensors
        slopes = (a.cos(), b)
        parts = [g * slope for g, slope in zip(grads, slopes) if g is not None]
        grad_a = torch.stack(parts).sum(0) if parts else None
        return grad_a, None if grads[1] is None else grads[1] * a
