"""custom_fwd without cast_inputs: backward runs in what forward ran in, which is bfloat16.

Meets: dtypes: Under autocast
"""

import torch
from torch.amp import custom_bwd, custom_fwd


class SquaredDistance(torch.autograd.Function):
    @staticmethod
    @custom_fwd(device_type="cpu")
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return (x * x).sum(1, keepdim=True) + (y * y).sum(1) - 2 * x @ y.t()

    @staticmethod
    @custom_bwd(device_type="cpu")
    def backward(ctx, grad_output):
        x, y = ctx.saved_tensors
        grad_x = 2 * (grad_output.sum(1, keepdim=True) * x - grad_output @ y)
        grad_y = 2 * (grad_output.sum(0).unsqueeze(1) * y - grad_output.t() @ x)
        return grad_x, grad_y
