"""The three tensors are saved as they were."""

import torch


class XTanh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        t = input.tanh()
        output = input * t
        ctx.save_for_backward(input, t, output)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        input, t, output = ctx.saved_tensors
        return grad_output * (t + input - t * output)
