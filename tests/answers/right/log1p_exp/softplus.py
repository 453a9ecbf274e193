"""torch's own softplus as forward, log_sigmoid as backward."""

import torch
import torch.nn.functional as F


class Log1pExp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, *args):
        (input,) = args
        ctx.save_for_backward(input)
        return F.softplus(input)

    @staticmethod
    def backward(ctx, *grads):
        (input,) = ctx.saved_tensors
        return grads[0] * F.logsigmoid(input).exp()
