"""What the compiler cannot read is kept away from it.

Meets: one graph: What is left out of the graph breaks it
"""

import torch


@torch.compiler.disable
def rows(real):
    return max(1, real.sum().item())


class PaddedLinear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight, bias, real):
        count = rows(real)
        ctx.count = count
        ctx.save_for_backward(input, weight, real)
        return real.to(input.dtype).unsqueeze(1) * (input @ weight.t() + bias) / count

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, real = ctx.saved_tensors
        gated = real.to(input.dtype).unsqueeze(1) * grad_output / ctx.count
        return gated @ weight, gated.t() @ input, gated.sum(0), None
