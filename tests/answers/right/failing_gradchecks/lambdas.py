"""Lambdas; the leaf keeps its stride and a contiguous copy is made inside for the check."""

import torch

single_precision = lambda gradcheck, square: gradcheck(square, torch.randn(4, dtype=torch.float64, requires_grad=True))
at_the_kink = lambda gradcheck, relu: gradcheck(relu, torch.tensor([[-1.0, 1e-4], [-1e-4, 2.0]], dtype=torch.float64).requires_grad_())
random_forward = lambda gradcheck, dropout: gradcheck(
    lambda x: (torch.manual_seed(3), dropout(x))[1], torch.linspace(1, 3, 8, dtype=torch.float64).requires_grad_()
)
expanded = lambda gradcheck, square: gradcheck(square, torch.full((3,), 1.5, dtype=torch.float64, requires_grad=True))
