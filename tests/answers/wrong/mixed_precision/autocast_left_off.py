"""It switches autocast off, and leaves it off.

Meets: setting: The setting of autocast
"""

import torch


class SquaredDistance(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        torch.set_autocast_enabled("cpu", False)
        x, y = (t.float() if t.dtype == torch.bfloat16 else t for t in (x, y))
        ctx.save_for_backward(x, y)
        return (x * x).sum(1, keepdim=True) + (y * y).sum(1) - 2 * x @ y.t()

    @staticmethod
    def backward(ctx, grad_output):
        x, y = ctx.saved_tensors
        grad_x = 2 * (grad_output.sum(1, keepdim=True) * x - grad_output @ y)
        grad_y = 2 * (grad_output.sum(0).unsqueeze(1) * y - grad_output.t() @ x)
        return grad_x, grad_y
