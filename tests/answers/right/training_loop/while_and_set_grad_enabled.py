"""A while loop, and grad mode switched off and on for all."""

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
    losses, t = [], 0
    while t < steps:
        loss = (MyReLU.apply(x.mm(w1)).mm(w2) - y).norm() ** 2
        losses.append(loss.item())
        loss.backward()
        torch.set_grad_enabled(False)
        for w in (w1, w2):
            w.copy_(w - learning_rate * w.grad)
            w.grad.zero_()
        torch.set_grad_enabled(True)
        t += 1
    return losses, w1, w2
