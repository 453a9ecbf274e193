"""Only the real rows are multiplied, selected by the mask: one graph in torch 2.13, whose sizes stay open."""

import torch


class PaddedLinear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight, bias, real):
        output = input.new_zeros(len(input), len(weight))
        rows = input[real] @ weight.t() + bias
        output[real] = rows / max(1, len(rows))
        ctx.save_for_backward(input, weight, real)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, real = ctx.saved_tensors
        gated = grad_output[real]
        gated = gated / max(1, len(gated))
        grad_input = torch.zeros_like(input)
        grad_input[real] = gated @ weight
        return grad_input, gated.t() @ input[real], gated.sum(0), None
