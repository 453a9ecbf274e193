"""backward passes grad_output through unmasked.

Meets: upstream: where is the mask?
Source: https://github.com/chainer/chainer/pull/5898
"""

import torch


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return input.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.clone()
