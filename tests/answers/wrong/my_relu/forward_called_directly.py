"""forward is called as an ordinary function with a dummy ctx; autograd then differentiates clamp itself and the custom
backward is never reached.

Meets: form: calls MyReLU.forward by hand
Source: https://github.com/JCBrouwer/maua-stylegan2/issues/26
"""

import torch


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return input.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        raise RuntimeError("custom backward reached")


class _Ctx:
    def save_for_backward(self, *t):
        self.saved_tensors = t


def relu(x):
    return MyReLU.forward(_Ctx(), x)
