"""The solution X of the linear equations A X = B."""

import numpy as np
import torch
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from handgrad.mutants import witness
from handgrad.mutants.bank import Bank, drawn, leaf


def equations() -> tuple:
    """Far from singular, and neither symmetric nor triangular."""
    a = drawn(3, 3, seed=1).detach() + 3 * torch.eye(3, dtype=torch.float64)
    return a.requires_grad_(), drawn(3, 2, seed=2)


def symmetric() -> tuple:
    """A is symmetric and positive definite."""
    a = drawn(3, 3, seed=1).detach()
    return (a @ a.t() + torch.eye(3, dtype=torch.float64)).requires_grad_(), drawn(3, 2, seed=2)


def stiff() -> tuple:
    """A's condition number is about 1e6."""
    return leaf([[1.0, 1.0], [1.0, 1.0 + 4e-6]]), leaf([[1.0], [2.0]])


bank = Bank("solve", equations, torch.linalg.solve)


@bank.right("saves A and the solution; solves with the transpose")
class Solution(Function):
    @staticmethod
    def forward(ctx, a, b):
        solution = torch.linalg.solve(a, b)
        ctx.save_for_backward(a, solution)
        return solution

    @staticmethod
    def backward(ctx, grad_output):
        a, solution = ctx.saved_tensors
        grad_b = torch.linalg.solve(a.mT, grad_output)
        return -grad_b @ solution.mT, grad_b


@bank.right("saves the arguments and recomputes the solution; only what is asked for")
class Recomputed(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return torch.linalg.solve(a, b)

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        grad_b = torch.linalg.solve(a.mT, grad_output)
        grad_a = -torch.einsum("...ik,...jk->...ij", grad_b, torch.linalg.solve(a, b)) if ctx.needs_input_grad[0] else None
        return grad_a, grad_b if ctx.needs_input_grad[1] else None


@bank.right("saves the factors of A, intermediates, and says that it is differentiable only once")
class Factors(Function):
    @staticmethod
    def forward(ctx, a, b):
        factors, pivots = torch.linalg.lu_factor(a)
        solution = torch.linalg.lu_solve(factors, pivots, b)
        ctx.save_for_backward(factors, pivots, solution)
        return solution

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        factors, pivots, solution = ctx.saved_tensors
        grad_b = torch.linalg.lu_solve(factors, pivots, grad_output, adjoint=True)
        return -grad_b @ solution.mT, grad_b


@bank.right("its gradient is such a solution too; setup_context, with rules for vmap and forward mode")
class Rules(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(a, b):
        return torch.linalg.solve(a, b)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0], output)
        ctx.save_for_forward(inputs[0], output)

    @staticmethod
    def backward(ctx, grad_output):
        a, solution = ctx.saved_tensors
        grad_b = Rules.apply(a.mT, grad_output)
        return -(grad_b @ solution.mT), grad_b

    @staticmethod
    def jvp(ctx, tangent_a, tangent_b):
        a, solution = ctx.saved_tensors
        return torch.linalg.solve(a, tangent_b - tangent_a @ solution)


@bank.wrong("H", "solves with A itself instead of its transpose", witness.vjp)
class NotTransposed(Solution):
    @staticmethod
    def backward(ctx, grad_output):
        a, solution = ctx.saved_tensors
        grad_b = torch.linalg.solve(a, grad_output)
        return -grad_b @ solution.mT, grad_b


@bank.wrong("D", "forgets the sign of A's gradient", witness.vjp)
class Sign(Solution):
    @staticmethod
    def backward(ctx, grad_output):
        grad_a, grad_b = Solution.backward(ctx, grad_output)
        return -grad_a, grad_b


@bank.wrong("H", "returns the transpose of A's gradient", witness.vjp)
class TransposedGradient(Solution):
    @staticmethod
    def backward(ctx, grad_output):
        grad_a, grad_b = Solution.backward(ctx, grad_output)
        return grad_a.mT, grad_b


@bank.wrong("D", "multiplies by the transpose where it should solve with it", witness.vjp)
class Multiplies(Solution):
    @staticmethod
    def backward(ctx, grad_output):
        a, solution = ctx.saved_tensors
        grad_b = a.mT @ grad_output
        return -grad_b @ solution.mT, grad_b


@bank.wrong("D", "takes the right-hand side for the solution in A's gradient", witness.vjp)
class RightHandSide(Recomputed):
    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        grad_b = torch.linalg.solve(a.mT, grad_output)
        return -grad_b @ b.mT, grad_b


@bank.wrong("C", "takes A for constant, as an operator that is never learnt", witness.vjp)
class ConstantMatrix(Solution):
    @staticmethod
    def backward(ctx, grad_output):
        return None, Solution.backward(ctx, grad_output)[1]


@bank.wrong("D", "keeps only the symmetric part of A's gradient", witness.at(witness.vjp, symmetric))
class Symmetrized(Solution):
    @staticmethod
    def backward(ctx, grad_output):
        grad_a, grad_b = Solution.backward(ctx, grad_output)
        return (grad_a + grad_a.mT) / 2, grad_b


@bank.wrong("C", "skips A's gradient where that of the right-hand side is not asked for", witness.subset)
class Skips(Solution):
    @staticmethod
    def backward(ctx, grad_output):
        return Solution.backward(ctx, grad_output) if ctx.needs_input_grad[1] else (None, None)


@bank.wrong("B", "keeps A as an attribute of ctx, so a later change of it goes unseen", witness.stale)
class Attribute(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.a = a
        solution = torch.linalg.solve(a, b)
        ctx.save_for_backward(solution)
        return solution

    @staticmethod
    def backward(ctx, grad_output):
        (solution,) = ctx.saved_tensors
        grad_b = torch.linalg.solve(ctx.a.mT, grad_output)
        return -grad_b @ solution.mT, grad_b


@bank.wrong("K", "saves the inverse of A, an intermediate that carries no second derivative", witness.second)
class Inverse(Function):
    @staticmethod
    def forward(ctx, a, b):
        inverse = torch.linalg.inv(a)
        solution = inverse @ b
        ctx.save_for_backward(inverse, solution)
        return solution

    @staticmethod
    def backward(ctx, grad_output):
        inverse, solution = ctx.saved_tensors
        grad_b = inverse.mT @ grad_output
        return -grad_b @ solution.mT, grad_b


@bank.wrong("E", "lets the solver write its solution over the upstream gradient", witness.writes_upstream)
class Overwrites(Solution):
    @staticmethod
    def backward(ctx, grad_output):
        a, solution = ctx.saved_tensors
        grad_b = grad_output.copy_(torch.linalg.solve(a.mT, grad_output))
        return -grad_b @ solution.mT, grad_b.clone()


@bank.wrong("O", "adds 1e-6 to the diagonal to be safe from singular matrices", witness.precision)
class Ridge(Solution):
    @staticmethod
    def backward(ctx, grad_output):
        a, solution = ctx.saved_tensors
        ridge = 1e-6 * torch.eye(a.shape[-1], dtype=a.dtype, device=a.device)
        grad_b = torch.linalg.solve(a.mT + ridge, grad_output)
        return -grad_b @ solution.mT, grad_b


@bank.wrong("O", "solves the normal equations, in which the digits of a stiff matrix get lost", witness.at(witness.vjp, stiff))
class NormalEquations(Solution):
    @staticmethod
    def backward(ctx, grad_output):
        a, solution = ctx.saved_tensors
        grad_b = a @ torch.linalg.solve(a.mT @ a, grad_output)
        return -grad_b @ solution.mT, grad_b


@bank.wrong("N", "solves in numpy, where the second derivative gets lost", witness.second)
class Numpy(Solution):
    @staticmethod
    def backward(ctx, grad_output):
        a, solution = (saved.detach().numpy() for saved in ctx.saved_tensors)
        grad_b = np.linalg.solve(a.T, grad_output.detach().numpy())
        return torch.from_numpy(-grad_b @ solution.T), torch.from_numpy(grad_b)


@bank.wrong("M", "the forward-mode rule forgets that A moves as well", witness.wrong_jvp)
class Jvp(Rules):
    @staticmethod
    def jvp(ctx, tangent_a, tangent_b):
        a, _ = ctx.saved_tensors
        return torch.linalg.solve(a, tangent_b)
