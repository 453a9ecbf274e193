"""A shortcut in backward asks for one number.

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
        if input.numel() and input.max().item() <= 0:
            return torch.zeros_like(grad_output)
        return grad_output * (input > 0)
