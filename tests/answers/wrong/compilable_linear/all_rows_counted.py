"""The rows are counted without asking the mask.

Meets: forward: Every row is divided by the number of all rows
"""

import torch


class PaddedLinear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight, bias, real):
        share = real.to(input.dtype) / max(1, len(real))
        ctx.save_for_backward(input, weight, share)
        return share.unsqueeze(1) * (input @ weight.t() + bias)

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, share = ctx.saved_tensors
        gated = share.unsqueeze(1) * grad_output
        return gated @ weight, gated.t() @ input, gated.sum(0), None
