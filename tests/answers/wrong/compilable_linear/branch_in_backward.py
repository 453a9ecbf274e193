"""backward leaves early where no row is real, to spare the products.

Meets: one graph: An if asks
"""

import torch


class PaddedLinear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight, bias, real):
        share = real.to(input.dtype) / real.sum().clamp(min=1)
        ctx.save_for_backward(input, weight, share)
        return share.unsqueeze(1) * (input @ weight.t() + bias)

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, share = ctx.saved_tensors
        if not share.any():
            return torch.zeros_like(input), torch.zeros_like(weight), weight.new_zeros(len(weight)), None
        gated = share.unsqueeze(1) * grad_output
        return gated @ weight, gated.t() @ input, gated.sum(0), None
