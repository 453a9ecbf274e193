"""The scale is made in float32: what comes in as bfloat16 goes out as float32.

Meets: dtype: a scale in float32 makes float32
"""

import torch


class Dropout(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, p):
        """Return input with elements dropped with probability p (0 ≤ p < 1), and the rest divided by 1 - p."""
        # torch's own random numbers: the checkpoint restores their state before the second run.
        scale = (torch.rand_like(input) >= p).float() / (1 - p)
        ctx.save_for_backward(scale)  # what is saved is what a checkpoint can drop and ask for again
        return input * scale

    @staticmethod
    def backward(ctx, grad_output):
        """Return the gradient for input, and None for p."""
        (scale,) = ctx.saved_tensors
        return grad_output * scale, None
