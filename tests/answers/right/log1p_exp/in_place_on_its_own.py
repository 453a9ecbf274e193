"""Works in place on tensors that it made itself."""

import torch


class Log1pExp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return input.abs().neg_().exp_().log1p_().add_(torch.relu(input))

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        return grad_output / (1 + torch.exp(-input.clamp(min=-709 if input.dtype == torch.float64 else -88)))
