"""backward writes into a tensor of zeros, which has no batch.

Meets: jacrev: cannot be written
"""

import torch


class FuncReLU(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(input):
        return input.clamp(min=0)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        grad_input = torch.zeros(input.shape, dtype=input.dtype, device=input.device)
        grad_input += grad_output * (input > 0)
        return grad_input
