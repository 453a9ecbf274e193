"""backward(create_graph=True) writes the parameters' own .grad too.

Meets: parameter gradients: autograd.grad asks for the gradient of x alone
"""

import torch


class Softplus(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.nn.functional.softplus(x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * torch.sigmoid(x)


def gradient_penalty(critic, x):
    x = x.detach().requires_grad_()
    critic(x).sum().backward(create_graph=True)
    grad = x.grad
    return (grad.norm(dim=1) - 1).square().mean()
