"""What backward needs waits on a stack of the class: right as long as the last call goes backward first.

Meets: calls apart: on ctx, one for each call
"""

import torch


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        MyReLU.stack.append(input > 0)
        return input.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * MyReLU.stack.pop()

    stack = []
