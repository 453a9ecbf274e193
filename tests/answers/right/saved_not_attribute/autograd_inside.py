"""Lets torch differentiate the recomputed forward."""

import torch


class XTanh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return input * input.tanh()

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        again = torch.is_grad_enabled()
        with torch.enable_grad():
            x = input if again else input.detach().requires_grad_()
            y = x * x.tanh()
            (grad,) = torch.autograd.grad(y, x, grad_output, create_graph=again)
        return grad
