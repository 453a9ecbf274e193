"""The mask is counted in NumPy, which knows the CPU only.

Meets: device: numpy knows the CPU only
"""

import torch


class PaddedLinear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight, bias, real):
        share = real.to(input.dtype) / max(1, real.numpy().sum())
        ctx.save_for_backward(input, weight, share)
        return share.unsqueeze(1) * (input @ weight.t() + bias)

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, share = ctx.saved_tensors
        gated = share.unsqueeze(1) * grad_output
        return gated @ weight, gated.t() @ input, gated.sum(0), None
