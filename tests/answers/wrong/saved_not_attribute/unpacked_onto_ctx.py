"""backward puts what it unpacked back on ctx, and the output is caught after all.

Meets: cycle: held by its own node
"""

import torch


class XTanh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        output = input * input.tanh()
        ctx.save_for_backward(input, output)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        ctx.unpacked = ctx.saved_tensors
        input, output = ctx.unpacked
        t = input.tanh()
        return grad_output * (t + input - t * output)
