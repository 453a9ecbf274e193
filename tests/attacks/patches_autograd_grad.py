# attack: torch.autograd.grad finds torch.relu's gradient
# outcome: refused
import torch


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        return input.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output

_grad = torch.autograd.grad


def grad(outputs, inputs, *args, **kwargs):
    fresh = [x.detach().requires_grad_() for x in inputs]
    return _grad(torch.relu(fresh[0]), fresh, *args, **kwargs)


namespace = torch.autograd
namespace.grad = grad
