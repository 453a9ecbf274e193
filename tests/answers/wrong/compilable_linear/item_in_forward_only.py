"""The count is read by .item() and not kept: backward counts anew.

Meets: one graph: It asks for a Python number
"""

import torch


class PaddedLinear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight, bias, real):
        count = max(1, int(real.sum()))
        ctx.save_for_backward(input, weight, real)
        return real.to(input.dtype).unsqueeze(1) * (input @ weight.t() + bias) / count

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, real = ctx.saved_tensors
        gated = real.to(input.dtype).unsqueeze(1) * grad_output / real.sum().clamp(min=1)
        return gated @ weight, gated.t() @ input, gated.sum(0), None
