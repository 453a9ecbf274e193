# attack: never ends, and swallows the interrupt
# outcome: timed out
import torch


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        return input.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output

while True:
    try:
        while True:
            pass
    except BaseException:
        print("no")
