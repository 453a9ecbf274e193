"""Tangents are not materialized, so one that does not move is None."""

import torch


class ScaledTanh(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(input, scale):
        return scale * input.tanh()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        if grad_output is None:
            return None, None
        input, scale = ctx.saved_tensors
        tanh = input.tanh()
        return grad_output * scale * (1 - tanh**2), (grad_output * tanh).sum()

    @staticmethod
    def jvp(ctx, input_tangent, scale_tangent):
        input, scale = ctx.saved_tensors
        tanh = input.tanh()
        tangent = torch.zeros_like(tanh)
        if input_tangent is not None:
            tangent = tangent + input_tangent * scale * (1 - tanh.square())
        if scale_tangent is not None:
            tangent = tangent + scale_tangent * tanh
        return tangent
