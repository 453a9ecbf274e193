# attack: starts a process of its own that is to outlive the kernel
# outcome: refused
import torch
import os, sys, time


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        return input.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        sys.argv[0] = "handgrad-attack-stays"
        time.sleep(600)
    os._exit(0)
