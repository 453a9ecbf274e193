"""NumPy draws, from a seed that torch drew: what a checkpoint restores is enough."""

import numpy
import torch


class Dropout(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, p):
        seed = int(torch.randint(2**31, (), device="cpu"))
        drawn = numpy.random.default_rng(seed).random(tuple(input.shape))
        scale = torch.as_tensor(drawn >= p, device=input.device).to(input.dtype) / (1 - p)
        ctx.save_for_backward(scale)
        return input * scale

    @staticmethod
    def backward(ctx, grad_output):
        (scale,) = ctx.saved_tensors
        return grad_output * scale, None
