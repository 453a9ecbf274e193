"""The mask lies on ctx as a list of Python numbers.

Meets: kept: A checkpoint drops what save_for_backward was given
"""

import torch


class Dropout(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, p):
        scale = (torch.rand_like(input) >= p).to(input.dtype) / (1 - p)
        ctx.scale = scale.tolist()
        return input * scale

    @staticmethod
    def backward(ctx, grad_output):
        scale = torch.tensor(ctx.scale, dtype=grad_output.dtype, device=grad_output.device)
        return grad_output * scale, None
