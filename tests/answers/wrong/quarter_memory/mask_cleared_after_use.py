"""backward clears the mask that it saved, so a second backward finds none.

Meets: gradcheck: changed in place, by backward itself
"""

import torch


class LeanReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        m = (input > 0).to(torch.int8)
        ctx.save_for_backward(m)
        return input.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        (m,) = ctx.saved_tensors
        r = grad_output * m
        m.zero_()
        return r
