"""backward forgets that padding gives nothing.

Meets: upstream: Padding does not count in backward either
"""

import torch


class PaddedLinear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight, bias, real):
        count = real.sum().clamp(min=1)
        ctx.save_for_backward(input, weight, count)
        return real.to(input.dtype).unsqueeze(1) * (input @ weight.t() + bias) / count

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, count = ctx.saved_tensors
        gated = grad_output / count
        return gated @ weight, gated.t() @ input, gated.sum(0), None
