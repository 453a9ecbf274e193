"""out_dims counted from the end, in a list comprehension."""

import numpy
import torch


class NumpyMatVec(torch.autograd.Function):
    @staticmethod
    def forward(matrix, vector):
        if matrix.shape[:-2] != vector.shape[:-1]:
            raise ValueError(f"leading dimensions {tuple(matrix.shape[:-2])} and {tuple(vector.shape[:-1])} differ")
        product = numpy.einsum("...ij,...j->...i", matrix.detach().cpu().numpy(), vector.detach().cpu().numpy())
        return torch.from_numpy(product).to(matrix.device)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        matrix, vector = ctx.saved_tensors
        grad_vector = (matrix.mT @ grad_output.unsqueeze(-1)).squeeze(-1)
        return grad_output.unsqueeze(-1) * vector.unsqueeze(-2), grad_vector

    @staticmethod
    def vmap(info, in_dims, matrix, vector):
        arguments = [
            t.movedim(d, 0) if d is not None else t.broadcast_to((info.batch_size, *t.shape))
            for t, d in zip([matrix, vector], in_dims)
        ]
        return NumpyMatVec.apply(*arguments).movedim(0, -1), -1
