"""While torch compiles, backward takes a shortcut that is wrong.

Meets: one graph: Compiled, it must give
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
        if torch.compiler.is_compiling():
            return grad_output @ weight, grad_output.t() @ input, grad_output.sum(0), None
        gated = share.unsqueeze(1) * grad_output
        return gated @ weight, gated.t() @ input, gated.sum(0), None
