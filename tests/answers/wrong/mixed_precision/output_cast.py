"""The output is cast to float32, when its digits are gone.

Meets: digits: Under autocast a matrix product
"""

import torch


class SquaredDistance(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        distance = (x * x).sum(1, keepdim=True) + (y * y).sum(1) - 2 * x @ y.t()
        return distance.float() if distance.dtype == torch.bfloat16 else distance

    @staticmethod
    def backward(ctx, grad_output):
        x, y = (t.to(torch.promote_types(grad_output.dtype, torch.float32)) for t in ctx.saved_tensors)
        grad_output = grad_output.to(torch.promote_types(grad_output.dtype, torch.float32))
        grad_x = 2 * (grad_output.sum(1, keepdim=True) * x - grad_output @ y)
        grad_y = 2 * (grad_output.sum(0).unsqueeze(1) * y - grad_output.t() @ x)
        return grad_x, grad_y
