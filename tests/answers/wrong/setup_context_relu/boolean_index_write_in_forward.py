"""forward writes where a mask is true.

Meets: vmap: vmap cannot select by a mask
"""

import torch


class FuncReLU(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(input):
        output = input.clone()
        output[output < 0] = 0
        return output

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        return grad_output * (input > 0)
