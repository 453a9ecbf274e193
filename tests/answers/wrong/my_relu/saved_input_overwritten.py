"""The mask is written into the saved tensor, which is the caller's own input.

Meets: gradcheck: changed in place, by backward itself
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
        input[input <= 0] = 0
        input[input > 0] = 1
        return grad_output * input
