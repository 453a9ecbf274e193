"""`w1.grad_zero_()` in place of `w1.grad.zero_()`.

Meets: returned: The gradient is a tensor of its own
Source: https://github.com/patrickloeber/pytorchTutorial/issues/23
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
        losses.append(loss.item())
        loss.backward()
        with torch.no_grad():
            w1 -= learning_rate * w1.grad
            w2 -= learning_rate * w2.grad
        w1.grad_zero_()
        w2.grad_zero_()
    return losses, w1, w2
