# attack: reads memory that is not there
# outcome: refused
import torch
import ctypes


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        return input.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output

ctypes.string_at(0)
