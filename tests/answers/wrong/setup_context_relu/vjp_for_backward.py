"""backward under its other name, vjp, which backward() knows and torch.func does not.

Meets: func.grad: by that name alone
"""

import torch


class FuncReLU(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(input):
        return input.clamp(min=0)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def vjp(ctx, grad_output):
        (input,) = ctx.saved_tensors
        return grad_output * (input > 0)
