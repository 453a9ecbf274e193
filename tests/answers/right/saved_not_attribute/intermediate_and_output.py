"""Saves what no caller can change, and the output."""

import torch


class XTanh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        t = input.tanh()
        output = t.mul(input)
        ctx.save_for_backward(t, output, input)
        ctx.set_materialize_grads(False)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        if grad_output is None:
            return None
        t, output, input = ctx.saved_tensors
        return grad_output * (t - t * output + input)
