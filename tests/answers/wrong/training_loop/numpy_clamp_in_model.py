"""ReLU is computed outside torch, after a detach.

Meets: one step: the hidden layer leaves the graph
Source: https://github.com/xiaxin1998/DHCN/issues/8
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
        h = x.mm(w1)
        h = torch.tensor([[max(v, 0.0) for v in row] for row in h.detach().tolist()])
        loss = (h.mm(w2) - y).pow(2).sum()
        losses.append(loss.item())
        loss.backward()
        with torch.no_grad():
            for w in (w1, w2):
                if w.grad is not None:
                    w -= learning_rate * w.grad
                    w.grad.zero_()
    return losses, w1, w2
