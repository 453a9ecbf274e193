"""backward is absent (here: misspelt), so the base class raises when the engine reaches the node.

Meets: returned: torch finds no backward
Source: https://github.com/jiecaoyu/XNOR-Net-PyTorch/issues/125
"""

import torch


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return input.clamp(min=0)

    @staticmethod
    def backwards(ctx, grad_output):
        (input,) = ctx.saved_tensors
        return grad_output * (input > 0)
