"""Rows of a table, looked up at integer indices that may repeat: an embedding."""

import numpy as np
import torch
from torch.autograd import Function

from handgrad.mutants import witness
from handgrad.mutants.bank import Bank, Version, drawn

bank = Bank(
    "index_select",
    lambda: (drawn(5, 3), torch.tensor([[1, 3, 1, 1], [0, 2, 3, 1]])),
    lambda table, index: torch.embedding(table, index),
)


def stale_index(version: Version, bank: Bank) -> bool:
    """After the indices were changed in place, backward silently gives another gradient."""
    (table, index), (again, fresh) = bank.inputs(), bank.inputs()
    output = version(table, index)
    index.zero_()
    try:
        output.sum().backward()
    except RuntimeError:
        return False
    bank.reference(again, fresh).sum().backward()
    return not torch.equal(table.grad, again.grad)


def wrong_vmap(version: Version, bank: Bank) -> bool:
    """Under vmap over the indices values differ from the reference's, or an error is raised."""
    table, index = bank.inputs()
    indices = torch.stack([index, 4 - index])
    want = torch.func.vmap(bank.reference, (None, 0))(table, indices)
    try:
        return not torch.equal(torch.func.vmap(version, (None, 0))(table, indices), want)
    except Exception:
        return True


@bank.right("index_add into zeros; the number of rows on ctx")
class IndexAdd(Function):
    @staticmethod
    def forward(ctx, table, index):
        ctx.save_for_backward(index)
        ctx.rows = table.shape[0]
        return table[index]

    @staticmethod
    def backward(ctx, grad_output):
        (index,) = ctx.saved_tensors
        zeros = grad_output.new_zeros(ctx.rows, grad_output.shape[-1])
        return zeros.index_add(0, index.flatten(), grad_output.flatten(0, -2)), None


@bank.right("index_put that accumulates; only where the table's gradient is asked for")
class IndexPut(Function):
    @staticmethod
    def forward(ctx, table, index):
        ctx.save_for_backward(index)
        ctx.shape = table.shape
        return table.index_select(0, index.flatten()).unflatten(0, index.shape)

    @staticmethod
    def backward(ctx, grad_output):
        if not ctx.needs_input_grad[0]:
            return None, None
        (index,) = ctx.saved_tensors
        return grad_output.new_zeros(ctx.shape).index_put((index,), grad_output, accumulate=True), None


@bank.right("a product with one-hot rows; setup_context, with rules for vmap and forward mode")
class OneHot(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(table, index):
        return table[index]

    @staticmethod
    def setup_context(ctx, inputs, output):
        table, index = inputs
        ctx.rows = table.shape[0]
        ctx.save_for_backward(index)
        ctx.save_for_forward(index)

    @staticmethod
    def backward(ctx, grad_output):
        (index,) = ctx.saved_tensors
        hot = index.flatten().unsqueeze(-1) == torch.arange(ctx.rows, device=index.device)
        return hot.to(grad_output.dtype).t() @ grad_output.flatten(0, -2), None

    @staticmethod
    def jvp(ctx, tangent, _):
        (index,) = ctx.saved_tensors
        return tangent[index]


@bank.wrong("D", "the last of the repeated indices wins", witness.vjp)
class LastWins(IndexAdd):
    @staticmethod
    def backward(ctx, grad_output):
        (index,) = ctx.saved_tensors
        return grad_output.new_zeros(ctx.rows, grad_output.shape[-1]).index_put((index,), grad_output), None


@bank.wrong("D", "divides by how often a row was looked up", witness.vjp)
class ByFrequency(IndexAdd):
    @staticmethod
    def backward(ctx, grad_output):
        (index,) = ctx.saved_tensors
        grad_table, _ = IndexAdd.backward(ctx, grad_output)
        counts = torch.bincount(index.flatten(), minlength=ctx.rows).clamp(min=1)
        return grad_table / counts.unsqueeze(-1), None


@bank.wrong("D", "counts the look-ups, without the upstream gradient", witness.vjp)
class Counts(IndexAdd):
    @staticmethod
    def backward(ctx, grad_output):
        return IndexAdd.backward(ctx, torch.ones_like(grad_output))


@bank.wrong("D", "takes row 0 for padding", witness.vjp)
class Padding(IndexAdd):
    @staticmethod
    def backward(ctx, grad_output):
        (index,) = ctx.saved_tensors
        return IndexAdd.backward(ctx, grad_output * (index != 0).unsqueeze(-1))


@bank.wrong("H", "adds up only repeats that stand side by side", witness.vjp)
class Runs(IndexAdd):
    @staticmethod
    def backward(ctx, grad_output):
        (index,) = ctx.saved_tensors
        rows, run = torch.unique_consecutive(index.flatten(), return_inverse=True)
        sums = grad_output.new_zeros(len(rows), grad_output.shape[-1]).index_add(0, run, grad_output.flatten(0, -2))
        return grad_output.new_zeros(ctx.rows, grad_output.shape[-1]).index_put((rows,), sums), None


@bank.wrong("H", "makes as many rows as the largest index asks for", witness.raises)
class LargestIndex(IndexAdd):
    @staticmethod
    def backward(ctx, grad_output):
        (index,) = ctx.saved_tensors
        zeros = grad_output.new_zeros(int(index.max()) + 1, grad_output.shape[-1])
        return zeros.index_add(0, index.flatten(), grad_output.flatten(0, -2)), None


@bank.wrong("C", "returns the table's gradient in the place of the indices'", witness.vjp)
class Swapped(IndexAdd):
    @staticmethod
    def backward(ctx, grad_output):
        grad_table, _ = IndexAdd.backward(ctx, grad_output)
        return None, grad_table


@bank.wrong("B", "keeps the indices as an attribute of ctx, so a later change of them goes unseen", stale_index)
class Attribute(Function):
    @staticmethod
    def forward(ctx, table, index):
        ctx.index, ctx.rows = index, table.shape[0]
        return table[index]

    @staticmethod
    def backward(ctx, grad_output):
        zeros = grad_output.new_zeros(ctx.rows, grad_output.shape[-1])
        return zeros.index_add(0, ctx.index.flatten(), grad_output.flatten(0, -2)), None


@bank.wrong("F", "accumulates in a buffer of the class that is never emptied", witness.twice)
class Buffer(IndexAdd):
    buffer = None

    @staticmethod
    def backward(ctx, grad_output):
        grad_table, _ = IndexAdd.backward(ctx, grad_output)
        fits = Buffer.buffer is not None and Buffer.buffer.shape == grad_table.shape and Buffer.buffer.dtype == grad_table.dtype
        Buffer.buffer = Buffer.buffer + grad_table if fits else grad_table
        return Buffer.buffer, None


@bank.wrong("G", "makes its zeros in the default dtype", witness.raises)
class DefaultDtype(IndexAdd):
    @staticmethod
    def backward(ctx, grad_output):
        (index,) = ctx.saved_tensors
        zeros = torch.zeros(ctx.rows, grad_output.shape[-1], device=grad_output.device)
        return zeros.index_add(0, index.flatten(), grad_output.flatten(0, -2)), None


@bank.wrong("N", "accumulates in numpy, where the second derivative gets lost", witness.second)
class Numpy(IndexAdd):
    @staticmethod
    def backward(ctx, grad_output):
        (index,) = ctx.saved_tensors
        zeros = grad_output.detach().new_zeros(ctx.rows, grad_output.shape[-1]).numpy()
        np.add.at(zeros, index.numpy(), grad_output.detach().numpy())
        return torch.from_numpy(zeros), None


@bank.wrong("D", "clips each row of the upstream gradient to length 1", witness.large_upstream)
class Clipped(IndexAdd):
    @staticmethod
    def backward(ctx, grad_output):
        length = torch.linalg.vector_norm(grad_output, dim=-1, keepdim=True)
        return IndexAdd.backward(ctx, grad_output / length.clamp(min=1))


@bank.wrong("M", "its rule for vmap takes the table for the batched one", wrong_vmap)
class VmapTable(Function):
    @staticmethod
    def forward(table, index):
        return table[index]

    @staticmethod
    def setup_context(ctx, inputs, output):
        table, index = inputs
        ctx.rows = table.shape[0]
        ctx.save_for_backward(index)

    @staticmethod
    def backward(ctx, grad_output):
        return IndexAdd.backward(ctx, grad_output)

    @staticmethod
    def vmap(info, in_dims, table, index):
        return torch.stack([VmapTable.apply(one, index) for one in table.unbind(in_dims[0] or 0)]), 0
