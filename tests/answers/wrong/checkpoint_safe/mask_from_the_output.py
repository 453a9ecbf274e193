"""The mask is read off the output, which is zero where the input is, too.

Meets: zeros: keep the draw itself
"""

import torch


class Dropout(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, p):
        output = input * (torch.rand_like(input) >= p) / (1 - p)
        ctx.p = p
        ctx.save_for_backward(output)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        (output,) = ctx.saved_tensors
        return grad_output * (output != 0) / (1 - ctx.p), None
