"""A bool times a Python number is a float32, so the slope loses its last digits.

Meets: upstream: somewhere a float32 slips in
"""

import torch


class LeakyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, slope):
        ctx.save_for_backward(input)
        ctx.slope = slope
        return torch.nn.functional.leaky_relu(input, slope)

    @staticmethod
    def backward(ctx, grad_output):
        input = ctx.saved_tensors[0]
        return grad_output * ((input > 0) + ctx.slope * (input <= 0)), None
