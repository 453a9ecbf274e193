"""A copy is changed, marked and returned; the input stays as it was.

Meets: same object: changes the tensor that it was given
"""

import torch


class ReLUInPlace(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        output = input.clone()
        ctx.mark_dirty(output)
        output.clamp_(min=0)
        ctx.save_for_backward(output > 0)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        (is_open,) = ctx.saved_tensors
        return grad_output * is_open
