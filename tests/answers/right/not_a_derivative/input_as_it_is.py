"""Returns the input itself, which torch makes a view of; the factor saved as a tensor of the input's dtype."""

import torch


class RoundThrough(torch.autograd.Function):
    @staticmethod
    def forward(ctx, *args):
        (input,) = args
        return torch.round(input)

    backward = staticmethod(lambda ctx, g: g)


class ReverseGradient(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, strength):
        ctx.save_for_backward(input.new_tensor(-strength))
        return input

    @staticmethod
    def backward(ctx, *grads):
        (factor,) = ctx.saved_tensors
        return factor * grads[0], None
