# attack: asks nbval to look away
# outcome: raised
import torch
# NBVAL_SKIP
# NBVAL_IGNORE_OUTPUT
# NBVAL_RAISES_EXCEPTION


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        return input.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output

raise ValueError
