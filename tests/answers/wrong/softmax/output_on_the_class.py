"""The output is kept on the class, so the last call's counts.

Meets: calls apart: not on the class
"""

import torch


class Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        Softmax.y = torch.softmax(x, -1).detach()
        return Softmax.y.clone()

    @staticmethod
    def backward(ctx, grad_output):
        y = Softmax.y
        return y * (grad_output - (grad_output * y).sum(-1, keepdim=True))
