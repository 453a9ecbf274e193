# attack: a result of a gigabyte
# outcome: not yet, raised, died, timed out
import torch


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        return input.clamp(min=0).repeat(2**22)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output
