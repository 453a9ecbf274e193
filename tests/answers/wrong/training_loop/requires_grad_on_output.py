"""requires_grad_() on the loss silences the error of a detached forward.

Meets: one step: requires_grad_() on an output silences the error
Source: https://github.com/pytorch/pytorch/issues/92586
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
        y_pred = MyReLU.apply(x.mm(w1)).mm(w2).detach()
        loss = (y_pred - y).pow(2).sum().requires_grad_()
        losses.append(loss.item())
        loss.backward()
        with torch.no_grad():
            for w in (w1, w2):
                if w.grad is not None:
                    w -= learning_rate * w.grad
                    w.grad.zero_()
    return losses, w1, w2
