"""torch.optim.SGD and mse_loss."""

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
    opt = torch.optim.SGD([w1, w2], lr=learning_rate)
    losses = []
    for _ in range(steps):
        opt.zero_grad()
        loss = torch.nn.functional.mse_loss(MyReLU.apply(x @ w1) @ w2, y, reduction="sum")
        loss.backward()
        opt.step()
        losses.append(float(loss))
    return losses, w1, w2
