"""torch.func.grad, and new weights in each step."""

import torch


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return input.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        return grad_output * (input > 0)


from torch.func import grad


def train(x, y, w1, w2, learning_rate=1e-6, steps=500):
    def loss_of(w1, w2):
        return ((x @ w1).relu() @ w2 - y).pow(2).sum()

    losses = []
    for _ in range(steps):
        losses.append(float(loss_of(w1, w2)))
        g1, g2 = grad(loss_of, argnums=(0, 1))(w1, w2)
        w1, w2 = w1 - learning_rate * g1, w2 - learning_rate * g2
    return losses, w1.detach(), w2.detach()
