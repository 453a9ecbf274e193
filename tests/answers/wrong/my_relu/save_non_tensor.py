"""A Python number is handed to save_for_backward. (The tutorial docstring in seed 001, “cache arbitrary objects … using
ctx.save_for_backward”, invites this.)

Meets: forward: save_for_backward takes tensors
Source: https://github.com/decisionforce/TPN/issues/38
"""

import torch


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        threshold = 0.0
        ctx.save_for_backward(input, threshold)
        return input.clamp(min=threshold)

    @staticmethod
    def backward(ctx, grad_output):
        input, threshold = ctx.saved_tensors
        return grad_output * (input > threshold)
