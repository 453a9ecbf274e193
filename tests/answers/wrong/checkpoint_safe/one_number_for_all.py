"""One number is drawn for the whole tensor.

Meets: forward: Each element by itself
"""

import torch


class Dropout(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, p):
        scale = (torch.rand((), device=input.device).expand(input.shape) >= p).to(input.dtype) / (1 - p)
        ctx.save_for_backward(scale)
        return input * scale

    @staticmethod
    def backward(ctx, grad_output):
        (scale,) = ctx.saved_tensors
        return grad_output * scale, None
