"""Trains copies and leaves the caller's tensors alone."""

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


def train(x, y, w1, w2, learning_rate=1e-6, steps=500):
    w1, w2 = (w.detach().clone().requires_grad_() for w in (w1, w2))
    losses = []
    for _ in range(steps):
        loss = (y - MyReLU.apply(x.mm(w1)).mm(w2)).square().sum()
        loss.backward()
        losses.append(loss.detach().item())
        for w in (w1, w2):
            with torch.no_grad():
                w.add_(w.grad, alpha=-learning_rate)
            w.grad = None
    return losses, w1, w2
