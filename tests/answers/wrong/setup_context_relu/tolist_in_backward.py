"""backward computes with Python numbers; gradcheck and func.grad see nothing of it.

Meets: device: Values are read out
"""

import torch


class FuncReLU(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(input):
        return input.clamp(min=0)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        mask = [float(value > 0) for value in input.flatten().tolist()]
        return grad_output * grad_output.new_tensor(mask).reshape(input.shape)
