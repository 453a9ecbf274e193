"""torch.bernoulli draws, a bool is saved, p is on ctx."""

import torch


class Dropout(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, p):
        mask = torch.bernoulli(torch.full_like(input, 1 - p)).bool()
        ctx.save_for_backward(mask)
        ctx.p = p
        return torch.where(mask, input / (1 - p), torch.zeros_like(input))

    @staticmethod
    def backward(ctx, grad_output):
        (mask,) = ctx.saved_tensors
        return torch.where(mask, grad_output / (1 - ctx.p), torch.zeros_like(grad_output)), None
