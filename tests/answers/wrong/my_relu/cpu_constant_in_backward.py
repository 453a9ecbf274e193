"""backward builds a tensor without device=; right on the CPU, fails on any other device. The meta device shows it
without a GPU.

Meets: device: A tensor is made on
Source: https://github.com/facebookresearch/CrypTen/issues/426
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
        return torch.where(input > 0, grad_output, torch.zeros(input.shape, dtype=input.dtype))
