"""grad_input[input < 0] = 0 gives gradient 1 at exactly 0, while torch.relu gives 0. Reported as a bug, but any value in
[0, 1] is a valid subgradient; both seeds teach this version.

Accepted.
Source: https://github.com/pytorch/tutorials/pull/269
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
        grad_input = grad_output.clone()
        grad_input[input < 0] = 0
        return grad_input
