"""The count is a tensor, kept as an attribute of ctx: allowed, with a word of advice."""

import torch


class PaddedLinear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight, bias, real):
        ctx.count = real.sum().clamp(min=1)
        ctx.save_for_backward(input, weight, real)
        return torch.where(real.unsqueeze(1), (input @ weight.t() + bias) / ctx.count, input.new_zeros(()))

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, real = ctx.saved_tensors
        gated = torch.where(real.unsqueeze(1), grad_output / ctx.count, grad_output.new_zeros(()))
        return gated @ weight, gated.t() @ input, gated.sum(0), None
