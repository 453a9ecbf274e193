"""forward works on input.data, which shares memory but hides the change from the version counter: the saved input is
silently altered.

Meets: forward: hands back its input
Source: https://github.com/pytorch/pytorch/issues/6990
"""

import torch


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        output = input.data
        output[output < 0] = 0
        return output

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        grad_input = grad_output.clone()
        grad_input[input < 0] = 0
        return grad_input
