"""forward hands out the mask as a second output, which setup_context saves; a class above hides it."""

import torch


class _Dropout(torch.autograd.Function):
    @staticmethod
    def forward(input, p):
        scale = input.new_empty(input.shape).bernoulli_(1 - p) / (1 - p)
        return input * scale, scale

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.mark_non_differentiable(output[1])
        ctx.save_for_backward(output[1])

    @staticmethod
    def backward(ctx, grad_output, _):
        return grad_output * ctx.saved_tensors[0], None


class Dropout(_Dropout):
    @classmethod
    def apply(cls, input, p):
        return _Dropout.apply(input, p)[0]
