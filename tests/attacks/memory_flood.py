# attack: takes all memory
# outcome: refused, died, raised, not yet, timed out
import torch


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        return input.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output

hoard = []
while True:
    hoard.append(torch.ones(2**24))
