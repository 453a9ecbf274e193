"""The output tensor is kept as ctx.output instead of through save_for_backward: gradients are right, but output →
grad_fn → ctx → output is a reference cycle.

Accepted.
Source: https://github.com/pytorch/pytorch/issues/25340
"""

import torch


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.output = input.clamp(min=0)
        return ctx.output

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * (ctx.output > 0)
