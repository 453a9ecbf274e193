"""A cast in backward alone, to the dtype of the first input: the gradients are right, the distance is not.

Meets: dtypes: no cast in backward brings its digits back
"""

import torch


class SquaredDistance(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return (x * x).sum(1, keepdim=True) + (y * y).sum(1) - 2 * x @ y.t()

    @staticmethod
    def backward(ctx, grad_output):
        x, y = ctx.saved_tensors
        kind = torch.promote_types(torch.promote_types(x.dtype, y.dtype), torch.float32)
        x, y, grad_output = x.to(kind), y.to(kind), grad_output.to(kind)
        grad_x = 2 * (grad_output.sum(1, keepdim=True) * x - grad_output @ y)
        grad_y = 2 * (grad_output.sum(0).unsqueeze(1) * y - grad_output.t() @ x)
        return grad_x, grad_y
