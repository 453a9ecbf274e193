"""A dimension of 0 needs no move."""

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
        matrix = matrix.movedim(in_dims[0], 0) if in_dims[0] else matrix
        vector = vector.movedim(in_dims[1], 0) if in_dims[1] else vector
        if in_dims[0] is None:
            matrix = matrix.expand(info.batch_size, *matrix.shape)
        if in_dims[1] is None:
            vector = vector.expand(info.batch_size, *vector.shape)
        return NumpyMatVec.apply(matrix, vector), 0
