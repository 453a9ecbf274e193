"""One permutation for each place of three, which a second vmap outgrows.

Meets: vmap of vmap: fit every number
"""

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
        orders = {0: (0, 1, 2), 1: (1, 0, 2), 2: (2, 0, 1)}
        matrix = matrix.expand(info.batch_size, *matrix.shape) if in_dims[0] is None else matrix.permute(*orders[in_dims[0]])
        if in_dims[1] is None:
            vector = vector.expand(info.batch_size, *vector.shape)
        else:
            vector = vector.movedim(in_dims[1], 0)
        return NumpyMatVec.apply(matrix, vector), 0
