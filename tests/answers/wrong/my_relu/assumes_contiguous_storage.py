"""backward reads the memory of grad_output as if it were contiguous (as a C kernel does with data_ptr): silently wrong
for transposed gradients.

Meets: upstream untouched: as if it were contiguous
Source: https://github.com/torch/nn/pull/345
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
        raw = grad_output.as_strided(input.shape, torch.empty(input.shape).stride())
        return raw * (input > 0)
