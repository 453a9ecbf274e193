"""forward saves the weight only where the input needs a gradient, and the other way round."""

import torch


class FrugalLinear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight, bias=None):
        needs_input, needs_weight = ctx.needs_input_grad[:2]
        ctx.save_for_backward(input if needs_weight else None, weight if needs_input else None)
        output = input.mm(weight.t())
        return output if bias is None else output + bias

    @staticmethod
    def backward(ctx, grad_output):
        input, weight = ctx.saved_tensors
        grads = [None, None, None]
        if weight is not None:
            grads[0] = grad_output.mm(weight)
        if input is not None:
            grads[1] = grad_output.t().mm(input)
        if len(ctx.needs_input_grad) == 3 and ctx.needs_input_grad[2]:
            grads[2] = grad_output.sum(0)
        return tuple(grads)
