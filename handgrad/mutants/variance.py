"""The unbiased variance along an axis: squared distances from the mean, summed and divided by n - 1."""

import torch
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from handgrad.mutants import witness
from handgrad.mutants.bank import Bank, Version, drawn

DIM = 1

bank = Bank("variance", lambda: (drawn(3, 5, 4), DIM), lambda x, dim: x.var(dim))


def far_from_zero() -> tuple:
    return (1e6 + drawn(2, 5, 3).detach()).requires_grad_(), DIM


def wrong_jvp(version: Version, bank: Bank) -> bool:
    """`witness.wrong_jvp` with the axis held fixed."""
    fixed = Bank(bank.name, lambda: bank.inputs()[:1], lambda x: bank.reference(x, DIM))
    return witness.wrong_jvp(lambda x: version(x, DIM), fixed)


def wrong_vmap(version: Version, bank: Bank) -> bool:
    """`witness.wrong_vmap` with the axis held fixed."""
    fixed = Bank(bank.name, lambda: bank.inputs()[:1], lambda x: bank.reference(x, DIM))
    return witness.wrong_vmap(lambda x: version(x, DIM), fixed)


@bank.right("saves the input and recomputes its distances from the mean")
class Input(Function):
    @staticmethod
    def forward(ctx, x, dim):
        ctx.save_for_backward(x)
        ctx.dim = dim
        return x.var(dim)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        centred = x - x.mean(ctx.dim, keepdim=True)
        return grad_output.unsqueeze(ctx.dim) * 2 * centred / (x.shape[ctx.dim] - 1), None


@bank.right("saves the distances, scaled already; no second derivative")
class Centred(Function):
    @staticmethod
    def forward(ctx, x, dim):
        centred = x - x.mean(dim, keepdim=True)
        count = x.shape[dim] - 1
        ctx.save_for_backward(centred * (2 / count))
        ctx.dim = dim
        return centred.square().sum(dim) / count

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        (slope,) = ctx.saved_tensors
        return slope * grad_output.unsqueeze(ctx.dim), None


@bank.right("a matrix product with the centring matrix")
class Matrix(Function):
    @staticmethod
    def forward(ctx, x, dim):
        ctx.save_for_backward(x)
        ctx.dim = dim
        centred = Matrix.centred(x, dim)
        return torch.einsum("...i,...i->...", centred, centred) / (x.shape[dim] - 1)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        slope = Matrix.centred(x, ctx.dim) * (2 / (x.shape[ctx.dim] - 1))
        return (grad_output.unsqueeze(-1) * slope).movedim(-1, ctx.dim), None

    @staticmethod
    def centred(x, dim):
        n = x.shape[dim]
        rows = x.movedim(dim, -1)
        rows = rows - rows[..., :1]  # the product alone would round away what large numbers differ by
        return rows @ (torch.eye(n, dtype=x.dtype, device=x.device) - 1 / n)


@bank.right("setup_context, with its own rule for vmap and one for forward mode")
class Rules(Function):
    @staticmethod
    def forward(x, dim):
        return torch.var(x, dim, correction=1)

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, ctx.dim = inputs
        ctx.save_for_backward(x)
        ctx.save_for_forward(x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return Rules.slope(ctx, x) * grad_output.unsqueeze(ctx.dim), None

    @staticmethod
    def jvp(ctx, tangent, _):
        (x,) = ctx.saved_tensors
        return (Rules.slope(ctx, x) * tangent).sum(ctx.dim)

    @staticmethod
    def vmap(info, in_dims, x, dim):
        return Rules.apply(x.movedim(in_dims[0], 0), dim + 1 if dim >= 0 else dim), 0

    @staticmethod
    def slope(ctx, x):
        return (x - x.mean(ctx.dim, keepdim=True)) * (2 / (x.shape[ctx.dim] - 1))


@bank.wrong("D", "forgets the factor 2", witness.vjp)
class Half(Input):
    @staticmethod
    def backward(ctx, grad_output):
        return Input.backward(ctx, grad_output / 2)


@bank.wrong("D", "divides by n, as for the biased variance", witness.vjp)
class Biased(Input):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        centred = x - x.mean(ctx.dim, keepdim=True)
        return grad_output.unsqueeze(ctx.dim) * 2 * centred / x.shape[ctx.dim], None


@bank.wrong("D", "forgets to take the mean away", witness.vjp)
class Uncentred(Input):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output.unsqueeze(ctx.dim) * 2 * x / (x.shape[ctx.dim] - 1), None


@bank.wrong("D", "gives the derivative of the standard deviation", witness.vjp)
class Deviation(Input):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return Input.backward(ctx, grad_output / (2 * x.std(ctx.dim)))


@bank.wrong("H", "takes the mean of all away, not the one along the axis", witness.vjp)
class WholeMean(Input):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output.unsqueeze(ctx.dim) * 2 * (x - x.mean()) / (x.shape[ctx.dim] - 1), None


@bank.wrong("H", "counts along the first axis, whichever it is", witness.vjp)
class FirstAxis(Input):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        centred = x - x.mean(ctx.dim, keepdim=True)
        return grad_output.unsqueeze(ctx.dim) * 2 * centred / max(len(x) - 1, 1), None


@bank.wrong(
    "H",
    "counts a negative axis from the end of the upstream gradient, which has one axis less",
    witness.at(witness.raises, lambda: (drawn(2, 5, 3), -1)),
)
class NegativeAxis(Input):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        slope = 2 * (x - x.mean(ctx.dim, keepdim=True)) / (x.shape[ctx.dim] - 1)
        return grad_output.unsqueeze(ctx.dim % grad_output.dim()) * slope, None


@bank.wrong(
    "O",
    "takes the mean of squares less the square of the mean, which cancels far from 0",
    witness.at(witness.value, far_from_zero),
)
class Cancels(Input):
    @staticmethod
    def forward(ctx, x, dim):
        ctx.save_for_backward(x)
        ctx.dim = dim
        n = x.shape[dim]
        return (x.square().mean(dim) - x.mean(dim).square()) * (n / (n - 1))


@bank.wrong("K", "detaches the mean, which is right once and not twice", witness.second)
class MeanDetached(Input):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        centred = x - x.mean(ctx.dim, keepdim=True).detach()
        return grad_output.unsqueeze(ctx.dim) * 2 * centred / (x.shape[ctx.dim] - 1), None


@bank.wrong("G", "takes the mean in float32", witness.precision)
class SingleMean(Input):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        centred = x - x.mean(ctx.dim, keepdim=True, dtype=torch.float32)
        return grad_output.unsqueeze(ctx.dim) * 2 * centred / (x.shape[ctx.dim] - 1), None


@bank.wrong("E", "takes the mean away from the input in place", witness.writes_input)
class Dirty(Input):
    @staticmethod
    def forward(ctx, x, dim):
        x -= x.mean(dim, keepdim=True)
        return Input.forward(ctx, x, dim)


@bank.wrong("C", "asks needs_input_grad about the axis in place of the input", witness.vjp)
class AsksTheAxis(Input):
    @staticmethod
    def backward(ctx, grad_output):
        return Input.backward(ctx, grad_output) if ctx.needs_input_grad[1] else (None, None)


@bank.wrong("M", "the rule for vmap puts the batch first and does not move the axis", wrong_vmap)
class AxisNotMoved(Rules):
    @staticmethod
    def vmap(info, in_dims, x, dim):
        return Rules.apply(x.movedim(in_dims[0], 0), dim), 0


@bank.wrong("M", "the forward-mode rule gives the variance of the tangent", wrong_jvp)
class Jvp(Rules):
    @staticmethod
    def jvp(ctx, tangent, _):
        return tangent.var(ctx.dim)
