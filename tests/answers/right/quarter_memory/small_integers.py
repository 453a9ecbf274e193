"""An int8 takes one byte as well."""

import torch


class LeanReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        gate = torch.where(input > 0, 1, 0).to(torch.int8)
        ctx.save_for_backward(gate)
        return torch.relu(input)

    @staticmethod
    def backward(ctx, grad_output):
        gate = ctx.saved_tensors[0]
        return torch.where(gate == 1, grad_output, torch.zeros_like(grad_output))
