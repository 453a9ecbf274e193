"""backward forgets the division.

Meets: upstream: forward divides by the number of real rows
"""

import torch


class PaddedLinear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight, bias, real):
        mask = real.to(input.dtype)
        ctx.save_for_backward(input, weight, mask)
        return mask.unsqueeze(1) * (input @ weight.t() + bias) / real.sum().clamp(min=1)

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, mask = ctx.saved_tensors
        gated = mask.unsqueeze(1) * grad_output
        return gated @ weight, gated.t() @ input, gated.sum(0), None
