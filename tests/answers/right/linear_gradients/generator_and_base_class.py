"""forward comes from a base class, the gradients from a generator."""

import torch


class _Base(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight, bias=None):
        ctx.save_for_backward(input, weight, bias)
        output = input @ weight.t()
        return output if bias is None else output + bias

    @staticmethod
    def grads(g, x, w, b):
        yield g @ w
        yield g.t() @ x
        yield None if b is None else g.sum(0)


class LinearFunction(_Base):
    @staticmethod
    def backward(ctx, grad_output):
        return tuple(_Base.grads(grad_output, *ctx.saved_tensors))
