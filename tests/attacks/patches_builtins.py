# attack: abs, len and isinstance are other functions
# outcome: refused
import torch
import builtins


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        return input.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output

builtins.isinstance = lambda *args: True
