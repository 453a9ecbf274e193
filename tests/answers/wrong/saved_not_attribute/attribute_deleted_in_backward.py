"""The attribute is deleted by backward itself, so a second walk over the graph has none.

Meets: gradcheck: no longer sets
"""

import torch


class XTanh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.t = input.tanh()
        output = input * ctx.t
        ctx.save_for_backward(input, output)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        input, output = ctx.saved_tensors
        t = ctx.t
        del ctx.t
        return grad_output * (t + input - t * output)
