"""Twenty steps forward.

Meets: forward: not enough
"""

import torch


class FixedPoint(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight):
        z = torch.zeros_like(input)
        for _ in range(20):
            z = torch.tanh(z @ weight.t() + input)
        ctx.save_for_backward(weight, z)
        return z

    @staticmethod
    def backward(ctx, grad_output):
        weight, z = ctx.saved_tensors
        v = torch.zeros_like(grad_output)
        for _ in range(250):
            v = (1 - z * z) * (grad_output + v @ weight)
        return v, v.t() @ z
