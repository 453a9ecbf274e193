"""The decorators around staticmethod, which torch takes too; needs_input_grad obeyed."""

import torch
from torch.amp import custom_bwd, custom_fwd


class SquaredDistance(torch.autograd.Function):
    @custom_fwd(device_type="cpu", cast_inputs=torch.float32)
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return (x * x).sum(1, keepdim=True) + (y * y).sum(1) - 2 * x @ y.t()

    @custom_bwd(device_type="cpu")
    @staticmethod
    def backward(ctx, grad_output):
        x, y = ctx.saved_tensors
        grad_x = grad_y = None
        if ctx.needs_input_grad[0]:
            grad_x = 2 * (grad_output.sum(1)[:, None] * x - grad_output.mm(y))
        if ctx.needs_input_grad[1]:
            grad_y = 2 * (grad_output.sum(0)[:, None] * y - grad_output.t().mm(x))
        return grad_x, grad_y
