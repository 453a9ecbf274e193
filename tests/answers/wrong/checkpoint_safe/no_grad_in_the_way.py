"""The mask is drawn anew where grad mode is on, which is so in the second run of one kind of checkpoint.

Meets: forward: Each element by itself
"""

import torch


class Dropout(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, p):
        if torch.is_grad_enabled() or not hasattr(Dropout, "scale") or Dropout.scale.shape != input.shape:
            Dropout.scale = (torch.rand_like(input) >= p).to(input.dtype) / (1 - p)
        ctx.save_for_backward(Dropout.scale)
        return input * Dropout.scale

    @staticmethod
    def backward(ctx, grad_output):
        (scale,) = ctx.saved_tensors
        return grad_output * scale, None
