"""The decorators called as torch.amp.custom_fwd, einsum for the products."""

import torch


class SquaredDistance(torch.autograd.Function):
    @staticmethod
    @torch.amp.custom_fwd(device_type="cpu", cast_inputs=torch.float32)
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return torch.einsum("nd,nd->n", x, x)[:, None] + torch.einsum("md,md->m", y, y) - 2 * torch.einsum("nd,md->nm", x, y)

    @staticmethod
    @torch.amp.custom_bwd(device_type="cpu")
    def backward(ctx, grad_output):
        x, y = ctx.saved_tensors
        grad_x = 2 * (x * grad_output.sum(1, True) - torch.einsum("nm,md->nd", grad_output, y))
        grad_y = 2 * (y * grad_output.sum(0)[:, None] - torch.einsum("nm,nd->md", grad_output, x))
        return grad_x, grad_y
