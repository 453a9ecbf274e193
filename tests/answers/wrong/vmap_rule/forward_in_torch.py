"""forward is rewritten in torch, so a rule can be generated: no answer to a kernel that one cannot rewrite.

Meets: through forward: forward is no numpy any more
"""

import numpy
import torch


class NumpyMatVec(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(matrix, vector):
        if matrix.shape[:-2] != vector.shape[:-1]:
            raise ValueError(f"leading dimensions {tuple(matrix.shape[:-2])} and {tuple(vector.shape[:-1])} differ")
        return (matrix @ vector.unsqueeze(-1)).squeeze(-1)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        matrix, vector = ctx.saved_tensors
        grad_vector = (matrix.mT @ grad_output.unsqueeze(-1)).squeeze(-1)
        return grad_output.unsqueeze(-1) * vector.unsqueeze(-2), grad_vector
