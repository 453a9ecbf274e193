"""setup_context, and the sums by einsum over one flattened side."""

import torch


def summed(grad, shape):
    padded = (1,) * (grad.dim() - len(shape)) + tuple(shape)
    letters = "abcdefgh"[: grad.dim()]
    kept = "".join(letter for letter, size in zip(letters, padded) if size != 1)
    return torch.einsum(f"{letters}->{kept}", grad).reshape(shape)


class Product(torch.autograd.Function):
    @staticmethod
    def forward(x, y):
        return x * y

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        x, y = ctx.saved_tensors
        return summed(grad_output * y, x.shape), summed(grad_output * x, y.shape)
