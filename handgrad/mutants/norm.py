"""The Euclidean length of the vectors along an axis."""

import torch
import torch.nn.functional as F
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from handgrad.mutants import witness
from handgrad.mutants.bank import Bank, Version, drawn, leaf

DIM = 1

bank = Bank("norm", lambda: (drawn(3, 4, 5), DIM), lambda x, dim: torch.linalg.vector_norm(x, dim=dim))


def wrong_jvp(version: Version, bank: Bank) -> bool:
    """`witness.wrong_jvp` with the axis held fixed."""
    fixed = Bank(bank.name, lambda: bank.inputs()[:1], lambda x: bank.reference(x, DIM))
    return witness.wrong_jvp(lambda x: version(x, DIM), fixed)


@bank.right("saves the input and the output")
class Saved(Function):
    @staticmethod
    def forward(ctx, x, dim):
        norm = torch.linalg.vector_norm(x, dim=dim)
        ctx.save_for_backward(x, norm)
        ctx.dim = dim
        return norm

    @staticmethod
    def backward(ctx, grad_output):
        x, norm = ctx.saved_tensors
        tiny = torch.finfo(x.dtype).tiny
        return grad_output.unsqueeze(ctx.dim) * x / norm.clamp(min=tiny).unsqueeze(ctx.dim), None


@bank.right("saves the unit vectors, so that there is no second derivative")
class Unit(Function):
    @staticmethod
    def forward(ctx, x, dim):
        norm = x.square().sum(dim).sqrt()
        ctx.save_for_backward(x / norm.clamp(min=torch.finfo(x.dtype).tiny).unsqueeze(dim))
        ctx.dim = dim
        return norm

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        (unit,) = ctx.saved_tensors
        return unit * grad_output.unsqueeze(ctx.dim), None


@bank.right("saves the input and recomputes; setup_context, with rules for vmap and forward mode")
class Recomputed(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x, dim):
        return torch.linalg.vector_norm(x, dim=dim)

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, ctx.dim = inputs
        ctx.save_for_backward(x)
        ctx.save_for_forward(x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        unit = F.normalize(x, dim=ctx.dim, eps=torch.finfo(x.dtype).tiny)
        return grad_output.unsqueeze(ctx.dim) * unit, None

    @staticmethod
    def jvp(ctx, tangent, _):
        (x,) = ctx.saved_tensors
        unit = F.normalize(x, dim=ctx.dim, eps=torch.finfo(x.dtype).tiny)
        return (unit * tangent).sum(ctx.dim)


@bank.wrong("D", "forgets to divide by the length", witness.vjp)
class NotDivided(Saved):
    @staticmethod
    def backward(ctx, grad_output):
        x, _ = ctx.saved_tensors
        return grad_output.unsqueeze(ctx.dim) * x, None


@bank.wrong("D", "gives the derivative of the squared length", witness.vjp)
class Squared(Saved):
    @staticmethod
    def backward(ctx, grad_output):
        x, _ = ctx.saved_tensors
        return 2 * grad_output.unsqueeze(ctx.dim) * x, None


@bank.wrong("D", "gives the derivative of the sum of absolute values", witness.vjp)
class Taxicab(Saved):
    @staticmethod
    def backward(ctx, grad_output):
        x, _ = ctx.saved_tensors
        return grad_output.unsqueeze(ctx.dim) * x.sign(), None


@bank.wrong("H", "divides by the length of the whole tensor", witness.vjp)
class Whole(Saved):
    @staticmethod
    def backward(ctx, grad_output):
        x, _ = ctx.saved_tensors
        return grad_output.unsqueeze(ctx.dim) * x / torch.linalg.vector_norm(x), None


@bank.wrong("H", "puts the axis back at the end, wherever it was", witness.raises)
class LastAxis(Saved):
    @staticmethod
    def backward(ctx, grad_output):
        x, norm = ctx.saved_tensors
        return (grad_output / norm).unsqueeze(-1) * x, None


@bank.wrong("D", "takes the mean of the upstream gradient, which is right where it is the same everywhere", witness.vjp)
class Mean(Saved):
    @staticmethod
    def backward(ctx, grad_output):
        return Saved.backward(ctx, grad_output.mean().expand_as(grad_output))


@bank.wrong("O", "divides by a length of 0", witness.at(witness.not_a_number, lambda: (leaf([[0.0, 0.0, 0.0]]), DIM)))
class NanAtZero(Saved):
    @staticmethod
    def backward(ctx, grad_output):
        x, norm = ctx.saved_tensors
        return grad_output.unsqueeze(ctx.dim) * x / norm.unsqueeze(ctx.dim), None


@bank.wrong(
    "O",
    "adds 1e-8 under the root in backward alone, which bends the gradient of short vectors",
    witness.at(witness.vjp, lambda: (leaf([[3e-4, -4e-4, 1e-4]]), DIM)),
)
class Eps(Saved):
    @staticmethod
    def backward(ctx, grad_output):
        x, _ = ctx.saved_tensors
        norm = (x.square().sum(ctx.dim, keepdim=True) + 1e-8).sqrt()
        return grad_output.unsqueeze(ctx.dim) * x / norm, None


@bank.wrong("E", "makes the saved input a unit vector in place", witness.writes_input)
class WritesSaved(Saved):
    @staticmethod
    def backward(ctx, grad_output):
        x, norm = ctx.saved_tensors
        return x.div_(norm.unsqueeze(ctx.dim)) * grad_output.unsqueeze(ctx.dim), None


@bank.wrong("K", "saves a copy of the length, through which the second derivative does not go", witness.second)
class CopiedLength(Saved):
    @staticmethod
    def forward(ctx, x, dim):
        norm = torch.linalg.vector_norm(x, dim=dim)
        ctx.save_for_backward(x, norm.clone())
        ctx.dim = dim
        return norm


@bank.wrong("F", "keeps the output as an attribute of ctx, a cycle that only the garbage collector frees", witness.leaks)
class Cycle(Function):
    @staticmethod
    def forward(ctx, x, dim):
        ctx.norm, ctx.dim = torch.linalg.vector_norm(x, dim=dim), dim
        ctx.save_for_backward(x)
        return ctx.norm

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output.unsqueeze(ctx.dim) * x / ctx.norm.clamp(min=torch.finfo(x.dtype).tiny).unsqueeze(ctx.dim), None


@bank.wrong("G", "measures the length in float32", witness.precision)
class Single(Recomputed):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        norm = torch.linalg.vector_norm(x.float(), dim=ctx.dim, keepdim=True).clamp(min=torch.finfo(torch.float32).tiny)
        return grad_output.unsqueeze(ctx.dim) * x / norm, None


@bank.wrong("M", "takes the length of the tangent for the tangent of the length", wrong_jvp)
class TangentLength(Recomputed):
    @staticmethod
    def jvp(ctx, tangent, _):
        return torch.linalg.vector_norm(tangent, dim=ctx.dim)
