"""The gradient is float64 whatever the input is; the engine casts it back, so only the node itself shows it.

Meets: returned: float32
"""

import torch


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return input.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        return grad_output.double() * (input > 0)
