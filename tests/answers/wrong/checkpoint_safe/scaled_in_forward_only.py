"""backward forgets 1 / (1 - p).

Meets: gradient: forward divides by 1 - p
"""

import torch


class Dropout(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, p):
        mask = torch.rand_like(input) >= p
        ctx.save_for_backward(mask)
        return input * mask / (1 - p)

    @staticmethod
    def backward(ctx, grad_output):
        (mask,) = ctx.saved_tensors
        return grad_output * mask, None
