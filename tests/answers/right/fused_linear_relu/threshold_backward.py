"""torch's own threshold_backward; what is not needed is not saved."""

import torch


class FusedLinearReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight, bias):
        output = torch.relu(torch.nn.functional.linear(input, weight, bias))
        needs_input, needs_weight, _ = ctx.needs_input_grad
        ctx.save_for_backward(input if needs_weight else None, weight if needs_input else None, output)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, output = ctx.saved_tensors
        gated = torch.ops.aten.threshold_backward(grad_output, output, 0)
        return (
            gated @ weight if ctx.needs_input_grad[0] else None,
            gated.t() @ input if ctx.needs_input_grad[1] else None,
            gated.sum(0) if ctx.needs_input_grad[2] else None,
        )
