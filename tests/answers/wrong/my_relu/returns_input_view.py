"""As a shortcut the input itself is returned when nothing is negative; the result is then a view of the input, and a
later in-place operation raises.

Meets: forward: hands back its input
Source: https://github.com/shap/shap/issues/3565
"""

import torch


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        if (input >= 0).all():
            return input
        return input.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        return grad_output * (input > 0)
