"""Upstream gradients are not materialized."""

import torch


class FuncReLU(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(input):
        return input.clamp(min=0)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        if grad_output is None:
            return None
        (input,) = ctx.saved_tensors
        return grad_output * input.gt(0)
