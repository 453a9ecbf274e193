"""Matmul, the product of a batch of matrices with one shared matrix."""

from typing import ClassVar

import torch
from torch.autograd import Function

from handgrad.mutants import witness
from handgrad.mutants.bank import Bank, drawn

bank = Bank("matmul", lambda: (drawn(2, 3, 4), drawn(4, 5, seed=1)), torch.matmul)


def elsewhere(version, bank) -> bool:
    """The gradient is wrong at the bank's inputs or at twice those, whichever came first."""
    twice = tuple((2 * a.detach()).requires_grad_() for a in bank.inputs())
    return witness.vjp(version, bank) or witness.vjp(version, bank, lambda: twice)


def mapped_last(version, bank) -> bool:
    """With the mapped axis last, vmap gives something else than the reference or raises."""
    args = tuple(torch.stack([a.detach(), -2 * a.detach(), a.detach().cos()], -1) for a in bank.inputs())
    try:
        got = torch.func.vmap(version, in_dims=-1)(*args)
    except Exception:
        return True
    want = torch.func.vmap(bank.reference, in_dims=-1)(*args)
    return got.shape != want.shape or not torch.allclose(got, want)


@bank.right("saves both operands; sums to each one's size, whatever was broadcast")
class Summed(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a @ b

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        return (grad_output @ b.mT).sum_to_size(a.shape), (a.mT @ grad_output).sum_to_size(b.shape)


@bank.right("flattens the batch to one tall matrix; saves an operand only where the other one needs it")
class Tall(Function):
    @staticmethod
    def forward(ctx, a, b):
        needs_a, needs_b = ctx.needs_input_grad
        ctx.save_for_backward(a if needs_b else None, b if needs_a else None)
        return a.reshape(-1, a.shape[-1]).mm(b).reshape(*a.shape[:-1], -1)

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        tall = grad_output.reshape(-1, grad_output.shape[-1])
        grad_a = None if b is None else tall.mm(b.t()).reshape(*grad_output.shape[:-1], -1)
        grad_b = None if a is None else a.reshape(-1, a.shape[-1]).t().mm(tall)
        return grad_a, grad_b


@bank.right("einsum; setup_context, with a rule of its own for vmap and one for forward mode")
class Einsum(Function):
    @staticmethod
    def forward(a, b):
        return torch.einsum("nij,jk->nik", a, b)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        return torch.einsum("nik,jk->nij", grad_output, b), torch.einsum("nik,nij->jk", grad_output, a)

    @staticmethod
    def jvp(ctx, tangent_a, tangent_b):
        a, b = ctx.saved_tensors
        return tangent_a @ b + a @ tangent_b

    @staticmethod
    def vmap(info, in_dims, a, b):
        a, b = (
            x.expand(info.batch_size, *x.shape) if dim is None else x.movedim(dim, 0)
            for x, dim in zip((a, b), in_dims, strict=True)
        )
        return torch.einsum("mnij,mjk->mnik", a, b), 0


@bank.wrong("H", "reshapes the second operand where it should transpose it", witness.vjp)
class Reshaped(Summed):
    @staticmethod
    def backward(ctx, grad_output):
        _, b = ctx.saved_tensors
        return grad_output @ b.reshape(b.shape[::-1]), Summed.backward(ctx, grad_output)[1]


@bank.wrong("H", "leaves the shared operand's gradient unsummed, the engine hides it", witness.raw)
class Unsummed(Summed):
    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        return grad_output @ b.mT, a.mT @ grad_output


@bank.wrong("H", "averages the shared operand's gradient over the batch", witness.vjp)
class Averaged(Summed):
    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        return grad_output @ b.mT, (a.mT @ grad_output).mean(0)


@bank.wrong("H", "takes the first matrix of the batch for all of them", witness.vjp)
class FirstOfBatch(Summed):
    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        return grad_output @ b.mT, a[0].mT @ grad_output.sum(0)


@bank.wrong("D", "scales the second gradient by the root of the inner size, as attention does", witness.vjp)
class Scaled(Tall):
    @staticmethod
    def backward(ctx, grad_output):
        a, _ = ctx.saved_tensors
        grad_a, grad_b = Tall.backward(ctx, grad_output)
        return grad_a, None if a is None else grad_b / a.shape[-1] ** 0.5


@bank.wrong("C", "computes no gradient at all where the first operand needs none", witness.subset)
class BothOrNone(Summed):
    @staticmethod
    def backward(ctx, grad_output):
        return Summed.backward(ctx, grad_output) if ctx.needs_input_grad[0] else (None, None)


@bank.wrong("K", "switches grad mode off in backward", witness.second)
class NoGrad(Summed):
    @staticmethod
    @torch.no_grad()
    def backward(ctx, grad_output):
        return Summed.backward(ctx, grad_output)


@bank.wrong("B", "keeps the second operand's transpose as an attribute, a view of what may change", witness.stale)
class Transposed(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a)
        ctx.b_t = b.mT
        return a @ b

    @staticmethod
    def backward(ctx, grad_output):
        (a,) = ctx.saved_tensors
        return grad_output @ ctx.b_t, (a.mT @ grad_output).sum(0)


@bank.wrong("F", "caches the second operand's transpose by its shape", elsewhere)
class Cached(Summed):
    transposes: ClassVar[dict] = {}

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        b_t = Cached.transposes.setdefault((b.shape, b.dtype, b.device), b.detach().mT.clone())
        return grad_output @ b_t, (a.mT @ grad_output).sum(0)


@bank.wrong("G", "reads the upstream gradient's memory as if it were contiguous", witness.layout)
class Strided(Tall):
    @staticmethod
    def backward(ctx, grad_output):
        n, i, k = grad_output.shape
        return Tall.backward(ctx, grad_output.as_strided((n, i, k), (i * k, k, 1)))


@bank.wrong("M", "has the first of the two products alone in forward mode", witness.wrong_jvp)
class HalfJvp(Einsum):
    @staticmethod
    def jvp(ctx, tangent_a, tangent_b):
        return tangent_a @ ctx.saved_tensors[1]


@bank.wrong("M", "takes vmap's axis to be the first one, whatever in_dims says", mapped_last)
class FirstAxisVmap(Einsum):
    @staticmethod
    def vmap(info, in_dims, a, b):
        return torch.einsum("mnij,mjk->mnik", a, b), 0
