# attack: starts threads until nothing is left
# outcome: refused, timed out, died, raised
import torch
import threading, time


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        return input.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output

while True:
    threading.Thread(target=time.sleep, args=(600,)).start()
