"""A shortcut in backward: Python's if on a tensor.

Meets: vmap of grad: no one yes or no
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
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        if (input > 0).all():
            return grad_output.clone()
        return grad_output * (input > 0)
