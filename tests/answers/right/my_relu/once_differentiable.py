"""backward is decorated with @once_differentiable: right gradients, but a second derivative raises.

Accepted.
Source: https://github.com/NVlabs/tiny-cuda-nn/issues/50
"""

import torch


from torch.autograd.function import once_differentiable


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return input.clamp(min=0)

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        return grad_output * (input > 0)
