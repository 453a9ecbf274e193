"""Neither generate_vmap_rule nor a vmap method.

Meets: vmap: generate_vmap_rule = True
"""

import torch


class FuncReLU(torch.autograd.Function):
    @staticmethod
    def forward(input):
        return input.clamp(min=0)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        return grad_output * (input > 0)
