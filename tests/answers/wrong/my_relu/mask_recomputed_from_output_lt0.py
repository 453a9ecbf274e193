"""The output is saved instead of the input, but the mask still tests < 0; an output of ReLU is never negative, so
nothing is masked.

Meets: upstream: where is the mask?
Source: https://github.com/scikit-learn/scikit-learn/issues/14244
"""

import torch


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        output = input.clamp(min=0)
        ctx.save_for_backward(output)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        (output,) = ctx.saved_tensors
        grad_input = grad_output.clone()
        grad_input[output < 0] = 0
        return grad_input
