"""argsort first, then gather; flattened for indexed assignment."""

import torch


class Sort(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        indices = input.argsort(-1)
        ctx.mark_non_differentiable(indices)
        ctx.save_for_backward(indices)
        return torch.gather(input, -1, indices), indices

    @staticmethod
    def backward(ctx, grad_values, grad_indices):
        (indices,) = ctx.saved_tensors
        if not grad_values.numel():
            return grad_values.clone()
        rows = indices.reshape(-1, indices.shape[-1])
        upstream = grad_values.reshape(rows.shape)
        grad_input = torch.zeros_like(upstream)
        grad_input[torch.arange(len(rows), device=rows.device).unsqueeze(1), rows] = upstream
        return grad_input.reshape(indices.shape)
