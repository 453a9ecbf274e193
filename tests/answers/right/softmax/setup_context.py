"""setup_context, and a dim with a default that nobody hands over."""

import torch


class Softmax(torch.autograd.Function):
    @staticmethod
    def forward(x, dim=-1):
        shifted = x - torch.amax(x, dim, keepdim=True)
        return shifted.exp() / shifted.exp().sum(dim, keepdim=True)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, grad_output):
        (y,) = ctx.saved_tensors
        return y * grad_output.sub((grad_output * y).sum(-1, keepdim=True)), None
