"""Of n elements exactly round(p n) are dropped: the elements are not drawn each on its own.

Meets: on its own: drawn by itself
"""

import torch


class Dropout(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, p):
        """Return input with elements dropped with probability p (0 ≤ p < 1), and the rest divided by 1 - p."""
        # torch's own random numbers: the checkpoint restores their state before the second run.
        n = input.numel()
        order = torch.randperm(n, device=input.device)
        scale = (order >= round(p * n)).to(input.dtype).reshape(input.shape) / (1 - p)
        ctx.save_for_backward(scale)  # what is saved is what a checkpoint can drop and ask for again
        return input * scale

    @staticmethod
    def backward(ctx, grad_output):
        """Return the gradient for input, and None for p."""
        (scale,) = ctx.saved_tensors
        return grad_output * scale, None
