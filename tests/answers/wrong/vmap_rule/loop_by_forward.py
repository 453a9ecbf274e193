"""A loop that calls forward.

Meets: vmap of vmap: apply is called
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
        def example(tensor, dim, n):
            return tensor if dim is None else tensor.select(dim, n)

        outputs = [
            NumpyMatVec.forward(example(matrix, in_dims[0], n), example(vector, in_dims[1], n)) for n in range(info.batch_size)
        ]
        return torch.stack(outputs), 0
