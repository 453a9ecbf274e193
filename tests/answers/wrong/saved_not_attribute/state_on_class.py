"""The tensors sit on the class, which all calls share.

Meets: calls apart: one for each call
"""

import torch


class XTanh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        XTanh.input = input
        return input * input.tanh()

    @staticmethod
    def backward(ctx, grad_output):
        input = XTanh.input
        t = input.tanh()
        return grad_output * (t + input * (1 - t * t))
