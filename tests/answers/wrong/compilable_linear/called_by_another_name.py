"""Calls are counted on the class, by its own name.

Meets: one graph: Something outside the call is changed
"""

import torch


class PaddedLinear(torch.autograd.Function):
    calls = 0

    @staticmethod
    def forward(ctx, input, weight, bias, real):
        PaddedLinear.calls += 1
        share = real.to(input.dtype) / real.sum().clamp(min=1)
        ctx.save_for_backward(input, weight, share)
        return share.unsqueeze(1) * (input @ weight.t() + bias)

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, share = ctx.saved_tensors
        gated = share.unsqueeze(1) * grad_output
        return gated @ weight, gated.t() @ input, gated.sum(0), None
