"""The output is allocated with torch.zeros(shape): float32 on the CPU whatever the input is.

Meets: forward: got float32
Source: https://github.com/pytorch/pytorch/issues/42358
"""

import torch


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        output = torch.zeros(input.shape)
        output[input > 0] = input[input > 0].float()
        return output

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        return grad_output * (input > 0)
