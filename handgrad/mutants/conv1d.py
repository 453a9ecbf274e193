"""Convolution over length, with zeros padded to both sides: x of shape (N, C, L), weight of shape (O, C, K)."""

import torch
import torch.nn.functional as F
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from handgrad.mutants import witness
from handgrad.mutants.bank import Bank, drawn


def _reference(x, weight, padding=1):
    return F.conv1d(x, weight, padding=padding)


def _weight_gradient(x, grad_output, padding):
    """Batch and channels change places: x slides under the upstream gradient."""
    return F.conv1d(x.transpose(0, 1), grad_output.transpose(0, 1), padding=padding).transpose(0, 1)


bank = Bank("conv1d", lambda: (drawn(2, 3, 5), drawn(4, 3, 2, seed=1), 1), _reference)


@bank.right("torch.nn.grad, each gradient only where it is asked for")
class Library(Function):
    @staticmethod
    def forward(ctx, x, weight, padding):
        ctx.save_for_backward(x, weight)
        ctx.padding = padding
        return F.conv1d(x, weight, padding=padding)

    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        grad_x = grad_weight = None
        if ctx.needs_input_grad[0]:
            grad_x = torch.nn.grad.conv1d_input(x.shape, weight, grad_output, padding=ctx.padding)
        if ctx.needs_input_grad[1]:
            grad_weight = torch.nn.grad.conv1d_weight(x, weight.shape, grad_output, padding=ctx.padding)
        return grad_x, grad_weight, None


@bank.right("a product with the unfolded columns, which it saves; once differentiable")
class Columns(Function):
    @staticmethod
    def forward(ctx, x, weight, padding):
        columns = F.pad(x, (padding, padding)).unfold(-1, weight.shape[-1], 1)
        ctx.save_for_backward(columns, weight)
        ctx.padding, ctx.length = padding, x.shape[-1]
        return torch.einsum("nclk,ock->nol", columns, weight)

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        columns, weight = ctx.saved_tensors
        grad_columns = torch.einsum("nol,ock->nclk", grad_output, weight)
        grad_padded = grad_columns.new_zeros(*columns.shape[:2], ctx.length + 2 * ctx.padding)
        for k in range(weight.shape[-1]):
            grad_padded[..., k : k + grad_output.shape[-1]] += grad_columns[..., k]
        grad_x = grad_padded.narrow(-1, ctx.padding, ctx.length)
        return grad_x, torch.einsum("nol,nclk->ock", grad_output, columns), None


@bank.right("a transposed convolution, and one of batch and channels swapped; with rules for vmap and forward mode")
class Transposed(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x, weight, padding=1):
        return F.conv1d(x, weight, padding=padding)

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, weight, ctx.padding = inputs
        ctx.save_for_backward(x, weight)
        ctx.save_for_forward(x, weight)

    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        grad_x = F.conv_transpose1d(grad_output, weight, padding=ctx.padding)
        return grad_x, _weight_gradient(x, grad_output, ctx.padding), None

    @staticmethod
    def jvp(ctx, tangent_x, tangent_weight, _):
        x, weight = ctx.saved_tensors
        return F.conv1d(tangent_x, weight, padding=ctx.padding) + F.conv1d(x, tangent_weight, padding=ctx.padding)


@bank.wrong("H", "forgets to flip the kernel in the input's gradient", witness.vjp)
class NoFlip(Library):
    @staticmethod
    def backward(ctx, grad_output):
        _, weight = ctx.saved_tensors
        grad_x = F.conv1d(grad_output, weight.transpose(0, 1), padding=weight.shape[-1] - 1 - ctx.padding)
        return grad_x, Library.backward(ctx, grad_output)[1], None


@bank.wrong("H", "cuts the padding off the right side alone", witness.vjp)
class RightSide(Library):
    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        grad_padded = F.conv_transpose1d(grad_output, weight)
        return grad_padded[..., : x.shape[-1]], Library.backward(ctx, grad_output)[1], None


@bank.wrong("D", "pads with the edge's values instead of zeros in the weight gradient", witness.vjp)
class EdgeValues(Library):
    @staticmethod
    def backward(ctx, grad_output):
        padded = F.pad(ctx.saved_tensors[0], (ctx.padding, ctx.padding), mode="replicate")
        return Library.backward(ctx, grad_output)[0], _weight_gradient(padded, grad_output, 0), None


@bank.wrong("H", "averages the weight gradient over the batch instead of summing it", witness.vjp)
class WeightMean(Transposed):
    @staticmethod
    def backward(ctx, grad_output):
        grad_x, grad_weight, _ = Transposed.backward(ctx, grad_output)
        return grad_x, grad_weight / len(grad_output), None


@bank.wrong("H", "takes the weight gradient of the first sample alone", witness.vjp)
class FirstSample(Transposed):
    @staticmethod
    def backward(ctx, grad_output):
        grad_weight = _weight_gradient(ctx.saved_tensors[0][:1], grad_output[:1], ctx.padding)
        return Transposed.backward(ctx, grad_output)[0], grad_weight, None


@bank.wrong("K", "computes the input's gradient under no_grad, so the second derivative lacks its part", witness.second)
class NoGrad(Transposed):
    @staticmethod
    def backward(ctx, grad_output):
        with torch.no_grad():
            grad_x = F.conv_transpose1d(grad_output, ctx.saved_tensors[1], padding=ctx.padding)
        return grad_x, Transposed.backward(ctx, grad_output)[1], None


@bank.wrong("G", "rounds the upstream gradient to half precision on its way to the weight", witness.vjp)
class Half(Library):
    @staticmethod
    def backward(ctx, grad_output):
        grad_x, _, _ = Library.backward(ctx, grad_output)
        rounded = grad_output.half().to(grad_output.dtype)
        return grad_x, _weight_gradient(ctx.saved_tensors[0], rounded, ctx.padding), None


@bank.wrong("F", "keeps the columns in a workspace, one for each shape, that the next call overwrites", witness.mixes_calls)
class Workspace(Columns):
    columns: dict = {}  # noqa: RUF012 - that it is shared is the fault

    @staticmethod
    def forward(ctx, x, weight, padding):
        output = Columns.forward(ctx, x, weight, padding)
        columns = F.pad(x, (padding, padding)).unfold(-1, weight.shape[-1], 1)
        ctx.key = (columns.shape, columns.dtype, columns.device)
        Workspace.columns[ctx.key] = columns
        return output

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        grad_weight = torch.einsum("nol,nclk->ock", grad_output, Workspace.columns[ctx.key])
        return Columns.backward(ctx, grad_output)[0], grad_weight, None


@bank.wrong("B", "saves the weight's .data, so the check for later changes is lost", witness.stale)
class SavesData(Library):
    @staticmethod
    def forward(ctx, x, weight, padding):
        output = Library.forward(ctx, x, weight, padding)
        ctx.save_for_backward(x, weight.data)
        return output


@bank.wrong("C", "names the weight's gradient only where it is asked for, and raises for a frozen weight", witness.subset)
class Unbound(Library):
    @staticmethod
    def backward(ctx, grad_output):
        x, _ = ctx.saved_tensors
        grad_x, _, _ = Library.backward(ctx, grad_output)
        if ctx.needs_input_grad[1]:
            grad_weight = _weight_gradient(x, grad_output, ctx.padding)
        return grad_x, grad_weight, None


@bank.wrong("G", "reads the upstream gradient's memory as if it were contiguous", witness.layout)
class Memory(Library):
    @staticmethod
    def backward(ctx, grad_output):
        _, channels, length = grad_output.shape
        return Library.backward(ctx, grad_output.as_strided(grad_output.shape, (channels * length, length, 1)))


@bank.wrong(
    "M",
    "uses the first weight for all under vmap",
    witness.at(witness.wrong_vmap, lambda: (drawn(2, 3, 5), drawn(4, 3, 2, seed=1))),
)
class FirstWeight(Transposed):
    generate_vmap_rule = False

    @staticmethod
    def vmap(info, in_dims, x, weight, padding):
        x = x.expand(info.batch_size, *x.shape) if in_dims[0] is None else x.movedim(in_dims[0], 0)
        if in_dims[1] is not None:
            weight = weight.select(in_dims[1], 0)
        return FirstWeight.apply(x.flatten(0, 1), weight, padding).unflatten(0, x.shape[:2]), 0
