"""forward broadcasts, and an argument without a batch is not repeated: wrong for every matrix with every vector.

Meets: vmap of vmap: once for each vmap
"""

import numpy
import torch


class NumpyMatVec(torch.autograd.Function):
    @staticmethod
    def forward(matrix, vector):
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
        if in_dims[0] is not None:
            matrix = matrix.movedim(in_dims[0], 0)
        if in_dims[1] is not None:
            vector = vector.movedim(in_dims[1], 0)
        return NumpyMatVec.apply(matrix, vector), 0
