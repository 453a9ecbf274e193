"""The mask meets the input and the bias before the product."""

import torch


class PaddedLinear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight, bias, real):
        count = torch.count_nonzero(real).clamp(min=1)
        mask = real[:, None].to(input.dtype)
        ctx.save_for_backward(input, weight, mask, count)
        return torch.addmm(mask * bias, mask * input, weight.t()) / count

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, mask, count = ctx.saved_tensors
        gated = mask * grad_output / count
        return gated @ weight, gated.t() @ input, (mask.t() @ grad_output).squeeze(0) / count, None
