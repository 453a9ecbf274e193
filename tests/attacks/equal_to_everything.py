# attack: a result that is equal to everything
# outcome: refused, not yet, raised
import torch


class Yes(torch.Tensor):
    def __eq__(self, other):
        return True

    def allclose(self, other, **kwargs):
        return True


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        return input.clamp(min=0).as_subclass(Yes)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.as_subclass(Yes)
