"""Set_materialize_grads(False) with None handled."""

import torch


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(input)
        return input.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        if grad_output is None:
            return None
        (input,) = ctx.saved_tensors
        return torch.where(input > 0, grad_output, 0)
