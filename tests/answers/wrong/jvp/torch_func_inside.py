"""torch.func.jvp of the formula inside jvp: torch does not nest it in forward_ad.

Meets: nothing else touched: write the formula
"""

import torch


class ScaledTanh(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(input, scale):
        return scale * input.tanh()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        input, scale = ctx.saved_tensors
        tanh = input.tanh()
        return grad_output * scale * (1 - tanh**2), (grad_output * tanh).sum()

    @staticmethod
    def jvp(ctx, *tangents):
        return torch.func.jvp(lambda x, s: s * x.tanh(), ctx.saved_tensors, tangents)[1]
