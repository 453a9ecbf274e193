"""A seed is drawn and kept, a number; backward draws the same mask from it. Nothing is saved, so forward runs once."""

import torch


def scale_of(like, p, seed):
    source = torch.Generator(like.device if like.device.type != "meta" else "cpu").manual_seed(seed)
    drawn = torch.rand(like.shape, generator=source, device=source.device).to(like.device)
    return (drawn >= p).to(like.dtype) / (1 - p)


class Dropout(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, p):
        ctx.seed, ctx.p = int(torch.randint(2**31, (), device="cpu")), p
        return input * scale_of(input, p, ctx.seed)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * scale_of(grad_output, ctx.p, ctx.seed), None
