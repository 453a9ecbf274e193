"""It takes the time, and keeps it.

Meets: one graph: What is left out of the graph
"""

import time

import torch

TIMES = []


class PaddedLinear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight, bias, real):
        TIMES.append(time.perf_counter())
        share = real.to(input.dtype) / real.sum().clamp(min=1)
        ctx.save_for_backward(input, weight, share)
        return share.unsqueeze(1) * (input @ weight.t() + bias)

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, share = ctx.saved_tensors
        gated = share.unsqueeze(1) * grad_output
        return gated @ weight, gated.t() @ input, gated.sum(0), None
