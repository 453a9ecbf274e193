"""save_for_backward is called once for each tensor, and the last call counts.

Meets: returned: one call, with all tensors
"""

import torch


class XTanh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        t = input.tanh()
        output = input * t
        ctx.save_for_backward(input)
        ctx.save_for_backward(t)
        ctx.save_for_backward(output)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        input, t, output = ctx.saved_tensors
        return grad_output * (t + input - t * output)
