"""Python's max of two tensors, which the compiler reads as torch.maximum."""

import torch


class PaddedLinear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight, bias, real):
        count = max(torch.ones_like(real.sum()), real.sum())
        share = real.to(input.dtype) / count
        ctx.save_for_backward(input, weight, share)
        return share.unsqueeze(1) * (input @ weight.t() + bias)

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, share = ctx.saved_tensors
        gated = share.unsqueeze(1) * grad_output
        return gated @ weight, gated.t() @ input, gated.sum(0), None
