"""The old style, .data throughout.

Source: https://github.com/jcjohnson/pytorch-examples/pull/4
"""

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
    losses = []
    for _ in range(steps):
        loss = (MyReLU.apply(x.mm(w1)).mm(w2) - y).pow(2).sum()
        losses.append(float(loss))
        loss.backward()
        w1.data = w1.data - learning_rate * w1.grad.data
        w2.data = w2.data - learning_rate * w2.grad.data
        w1.grad.data.zero_()
        w2.grad.data.zero_()
    return losses, w1, w2
