"""Sort along the last axis, largest first: the values, and the integer indices that they came from."""

import torch
from torch.autograd import Function

from handgrad.mutants import witness
from handgrad.mutants.bank import Bank, drawn, leaf

bank = Bank("sort", lambda: (drawn(5, 7),), lambda x: torch.sort(x, dim=-1, descending=True))


@bank.right("saves the indices, scatters into zeros")
class Scatter(Function):
    @staticmethod
    def forward(ctx, x):
        values, indices = torch.sort(x, dim=-1, descending=True)
        ctx.mark_non_differentiable(indices)
        ctx.save_for_backward(indices)
        return values, indices

    @staticmethod
    def backward(ctx, grad_values, _=None):
        (indices,) = ctx.saved_tensors
        return torch.zeros_like(grad_values).scatter(-1, indices, grad_values)


@bank.right("saves the inverse permutation, gathers; None is handled")
class Gather(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        indices = x.argsort(dim=-1, descending=True)
        ctx.mark_non_differentiable(indices)
        ctx.save_for_backward(indices.argsort(dim=-1))
        return x.gather(-1, indices), indices

    @staticmethod
    def backward(ctx, *grads):
        (inverse,) = ctx.saved_tensors
        return None if grads[0] is None else grads[0].gather(-1, inverse)


@bank.right("the permutation as a matrix; setup_context, with rules for vmap and forward mode")
class Matrix(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        values, indices = torch.sort(x, dim=-1, descending=True)
        return values, indices

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, indices = output
        ctx.mark_non_differentiable(indices)
        ctx.save_for_backward(indices)
        ctx.save_for_forward(indices)

    @staticmethod
    def backward(ctx, grad_values, _=None):
        (indices,) = ctx.saved_tensors
        matrix = indices.unsqueeze(-1) == torch.arange(indices.shape[-1], device=indices.device)
        return torch.einsum("...i,...ij->...j", grad_values, matrix.to(grad_values.dtype))

    @staticmethod
    def jvp(ctx, tangent):
        (indices,) = ctx.saved_tensors
        return tangent.gather(-1, indices), None


@bank.wrong("D", "gathers where it should scatter", witness.vjp)
class WrongWay(Scatter):
    @staticmethod
    def backward(ctx, grad_values, _=None):
        (indices,) = ctx.saved_tensors
        return grad_values.gather(-1, indices)


@bank.wrong("D", "leaves the gradient in the order of the values", witness.vjp)
class SortedOrder(Scatter):
    @staticmethod
    def backward(ctx, grad_values, _=None):
        return grad_values


@bank.wrong("D", "sorts the smallest first again in backward", witness.vjp)
class Ascending(Function):
    @staticmethod
    def forward(ctx, x):
        values, indices = torch.sort(x, dim=-1, descending=True)
        ctx.mark_non_differentiable(indices)
        ctx.save_for_backward(x)
        return values, indices

    @staticmethod
    def backward(ctx, grad_values, _=None):
        (x,) = ctx.saved_tensors
        return torch.zeros_like(grad_values).scatter(-1, x.argsort(dim=-1), grad_values)


@bank.wrong("H", "puts every row back as the first one", witness.vjp)
class FirstRow(Scatter):
    @staticmethod
    def backward(ctx, grad_values, _=None):
        (indices,) = ctx.saved_tensors
        return grad_values[..., indices.flatten(0, -2)[0].argsort()]


@bank.wrong("D", "forgets the last rank", witness.vjp)
class LastRank(Scatter):
    @staticmethod
    def backward(ctx, grad_values, _=None):
        (indices,) = ctx.saved_tensors
        return torch.zeros_like(grad_values).scatter(-1, indices[..., :-1], grad_values[..., :-1])


@bank.wrong("O", "finds the places by equality, so ties count twice", witness.at(witness.vjp, lambda: (leaf([[2.0, 0.5, 2.0]]),)))
class Ties(Function):
    @staticmethod
    def forward(ctx, x):
        values, indices = torch.sort(x, dim=-1, descending=True)
        ctx.mark_non_differentiable(indices)
        ctx.save_for_backward(x.unsqueeze(-2) == values.unsqueeze(-1))
        return values, indices

    @staticmethod
    def backward(ctx, grad_values, _=None):
        (same,) = ctx.saved_tensors
        return torch.einsum("...i,...ij->...j", grad_values, same.to(grad_values.dtype))


@bank.wrong("B", "keeps the input as an attribute of ctx and sorts it again, whatever became of it", witness.stale)
class Attribute(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.x = x
        values, indices = torch.sort(x, dim=-1, descending=True)
        ctx.mark_non_differentiable(indices)
        return values, indices

    @staticmethod
    def backward(ctx, grad_values, _=None):
        indices = ctx.x.argsort(dim=-1, descending=True)
        return torch.zeros_like(grad_values).scatter(-1, indices, grad_values)


@bank.wrong("F", "keeps its outputs as an attribute of ctx, a cycle that only the garbage collector frees", witness.leaks)
class Cycle(Function):
    @staticmethod
    def forward(ctx, x):
        values, indices = torch.sort(x, dim=-1, descending=True)
        ctx.mark_non_differentiable(indices)
        ctx.result = values, indices
        return values, indices

    @staticmethod
    def backward(ctx, grad_values, _=None):
        return torch.zeros_like(grad_values).scatter(-1, ctx.result[1], grad_values)


@bank.wrong("P", "returns the indices as floats that require grad", witness.tracks)
class FloatIndices(Function):
    @staticmethod
    def forward(ctx, x):
        values, indices = torch.sort(x, dim=-1, descending=True)
        ctx.save_for_backward(indices)
        return values, indices.to(x.dtype)

    @staticmethod
    def backward(ctx, grad_values, _=None):
        (indices,) = ctx.saved_tensors
        return torch.zeros_like(grad_values).scatter(-1, indices, grad_values)


@bank.wrong("E", "sorts its argument itself", witness.writes_input)
class SortsArgument(Scatter):
    @staticmethod
    def forward(ctx, x):
        values, indices = torch.sort(x, dim=-1, descending=True)
        x.copy_(values)
        ctx.mark_non_differentiable(indices)
        ctx.save_for_backward(indices)
        return values, indices


@bank.wrong("G", "makes its zeros in float64, whatever the input", witness.single)
class Double(Scatter):
    @staticmethod
    def backward(ctx, grad_values, _=None):
        (indices,) = ctx.saved_tensors
        zeros = torch.zeros(grad_values.shape, dtype=torch.float64, device=grad_values.device)
        return zeros.scatter(-1, indices, grad_values)


@bank.wrong("M", "moves the tangent as backward moves the gradient", witness.wrong_jvp)
class BackwardJvp(Matrix):
    @staticmethod
    def jvp(ctx, tangent):
        (indices,) = ctx.saved_tensors
        return torch.zeros_like(tangent).scatter(-1, indices, tangent), None
