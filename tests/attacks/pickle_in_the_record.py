# attack: a result whose pickle runs code where it is read
# outcome: refused, raised, not yet
import torch


class Bomb:
    def __reduce__(self):
        return (print, ("pwned",))


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        return Bomb()

    @staticmethod
    def backward(ctx, grad_output):
        return Bomb()
