"""As many gradients as there were arguments."""

import torch


class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, *args):
        input, weight, *bias = args
        ctx.n = len(args)
        ctx.has = bool(bias) and bias[0] is not None
        ctx.save_for_backward(input, weight)
        out = input.mm(weight.t())
        return out + bias[0] if ctx.has else out

    @staticmethod
    def backward(ctx, grad_output):
        input, weight = ctx.saved_tensors
        grads = [grad_output.mm(weight), grad_output.t().mm(input)]
        if ctx.n == 3:
            grads.append(grad_output.sum(0) if ctx.has else None)
        return tuple(grads)
