"""torch.cdist takes no bfloat16, which comes through where autocast is off.

Meets: without autocast: torch has no bfloat16 of this operation
"""

import torch
from torch.amp import custom_bwd, custom_fwd


class SquaredDistance(torch.autograd.Function):
    @staticmethod
    @custom_fwd(device_type="cpu", cast_inputs=torch.float32)  # the digits are lost in forward or nowhere
    def forward(ctx, x, y):
        """Return the squared distance of each row of x (n, d) to each row of y (m, d): (n, m)."""
        ctx.save_for_backward(x, y)
        return torch.cdist(x, y, compute_mode="donot_use_mm_for_euclid_dist").square()

    @staticmethod
    @custom_bwd(device_type="cpu")  # backward may be called under autocast too
    def backward(ctx, grad_output):
        """Return the gradients for x (n, d) and y (m, d)."""
        x, y = ctx.saved_tensors
        # Two products in place of a tensor (n, m, d) of differences.
        grad_x = 2 * (grad_output.sum(1, keepdim=True) * x - grad_output @ y)
        grad_y = 2 * (grad_output.sum(0).unsqueeze(1) * y - grad_output.t() @ x)
        return grad_x, grad_y
