"""Computes all three gradients, whoever asks.

Meets: work: nobody asked for
"""

import torch


class FusedLinearReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight, bias):
        output = torch.relu(input @ weight.t() + bias)
        ctx.save_for_backward(input, weight, output)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, output = ctx.saved_tensors
        gated = grad_output * (output > 0)
        return gated @ weight, gated.t() @ input, gated.sum(0)
