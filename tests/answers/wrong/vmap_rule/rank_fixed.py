"""expand is told of three dimensions, and a second vmap adds one.

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
        matrix_dim, vector_dim = in_dims
        size = info.batch_size
        matrix = (
            matrix.unsqueeze(0).expand(size, -1, -1)
            if matrix_dim is None
            else matrix.permute(matrix_dim, *(d for d in range(matrix.dim()) if d != matrix_dim))
        )
        vector = torch.stack([vector] * size) if vector_dim is None else torch.stack(vector.unbind(vector_dim))
        return NumpyMatVec.apply(matrix, vector), 0
