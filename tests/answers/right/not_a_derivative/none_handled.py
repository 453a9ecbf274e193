"""Gradients that nobody sends stay None; needs_input_grad is asked."""

import torch


class RoundThrough(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.set_materialize_grads(False)
        return torch.round(input)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output


class ReverseGradient(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, strength):
        ctx.set_materialize_grads(False)
        ctx.strength = strength
        return input.view(input.shape)

    @staticmethod
    def backward(ctx, grad_output):
        if grad_output is None or not ctx.needs_input_grad[0]:
            return None, None
        return -ctx.strength * grad_output, None
