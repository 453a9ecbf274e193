"""A Module over the weights, SGD and mse_loss with reduction='sum'."""

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


class Net(torch.nn.Module):
    def __init__(self, w1, w2):
        super().__init__()
        self.w1, self.w2 = torch.nn.Parameter(w1.detach()), torch.nn.Parameter(w2.detach())

    def forward(self, x):
        return torch.relu(x @ self.w1) @ self.w2


def train(x, y, w1, w2, learning_rate=1e-6, steps=500):
    net = Net(w1, w2)
    opt = torch.optim.SGD(net.parameters(), lr=learning_rate)
    losses = []
    for _ in range(steps):
        opt.zero_grad(set_to_none=False)
        loss = torch.nn.functional.mse_loss(net(x), y, reduction="sum")
        loss.backward()
        opt.step()
        losses += [loss.item()]
    return losses, net.w1, net.w2
