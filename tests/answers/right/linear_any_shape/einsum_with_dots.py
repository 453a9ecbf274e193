"""einsum with an ellipsis."""

import torch


class AnyShapeLinear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight, bias=None):
        ctx.save_for_backward(input, weight, bias)
        output = input @ weight.t()
        return output if bias is None else output + bias

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, bias = ctx.saved_tensors
        grad_weight = torch.einsum("...o,...i->oi", grad_output, input)
        grad_bias = None if bias is None else torch.einsum("...o->o", grad_output)
        return torch.einsum("...o,oi->...i", grad_output, weight), grad_weight, grad_bias
