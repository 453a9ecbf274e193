"""view instead of reshape: raises for gradients that are not contiguous.

Meets: shapes: Use reshape instead of view
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
        return (grad_output.view(-1) * (input.reshape(-1) > 0)).view(input.shape)
