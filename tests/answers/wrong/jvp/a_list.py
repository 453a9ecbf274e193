"""The tangent stands in a list.

Meets: jvp: in no list
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
    def jvp(ctx, input_tangent, scale_tangent):
        input, scale = ctx.saved_tensors
        tanh = input.tanh()
        return [input_tangent * scale * (1 - tanh**2) + scale_tangent * tanh]
