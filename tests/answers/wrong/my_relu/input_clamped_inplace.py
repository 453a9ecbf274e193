"""forward clamps its argument in place and returns it, without mark_dirty: the caller's tensor is destroyed and, since
the saved input is the clamped one, nothing is masked.

Meets: forward: hands back its input
Source: https://github.com/pytorch/pytorch/issues/5871
"""

import torch


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        input.clamp_(min=0)
        return input

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        grad_input = grad_output.clone()
        grad_input[input < 0] = 0
        return grad_input
