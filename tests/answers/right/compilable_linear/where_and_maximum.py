"""torch.where for the padding, torch.maximum for the count."""

import torch


class PaddedLinear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight, bias, real):
        count = torch.maximum(real.sum(), torch.ones_like(real.sum()))
        output = torch.nn.functional.linear(input, weight, bias) / count
        ctx.save_for_backward(input, weight, real, count)
        return torch.where(real[:, None], output, torch.zeros_like(output))

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, real, count = ctx.saved_tensors
        gated = torch.where(real[:, None], grad_output / count, torch.zeros_like(grad_output))
        grad_input = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_input = gated.mm(weight)
        if ctx.needs_input_grad[1]:
            grad_weight = gated.t().mm(input)
        if ctx.needs_input_grad[2]:
            grad_bias = gated.sum(0)
        return grad_input, grad_weight, grad_bias, None
