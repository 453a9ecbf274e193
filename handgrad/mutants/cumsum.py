"""Cumulative sum along an axis."""

import torch
from torch.autograd import Function

from handgrad.mutants import witness
from handgrad.mutants.bank import Bank, Version, drawn

DIM = 1

bank = Bank("cumsum", lambda: (drawn(2, 4, 3), DIM), torch.cumsum)


def wrong_jvp(version: Version, bank: Bank) -> bool:
    """`witness.wrong_jvp` with the axis held fixed."""
    fixed = Bank(bank.name, lambda: bank.inputs()[:1], lambda x: torch.cumsum(x, DIM))
    return witness.wrong_jvp(lambda x: version(x, DIM), fixed)


def overwritten(version: Version, bank: Bank) -> bool:
    """A second call changes what the first one returned."""
    x, dim = bank.inputs()
    first = version(x, dim)
    kept = first.detach().clone()
    version(2 * x, dim)
    return not torch.equal(first, kept)


@bank.right("flips, sums and flips back; the axis on ctx")
class Flip(Function):
    @staticmethod
    def forward(ctx, x, dim):
        ctx.dim = dim
        return x.cumsum(dim)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.flip(ctx.dim).cumsum(ctx.dim).flip(ctx.dim), None


@bank.right("the total less what went before; its own rule for vmap")
class Total(Function):
    @staticmethod
    def forward(x, dim):
        return torch.cumsum(x, dim)

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, ctx.dim = inputs

    @staticmethod
    def backward(ctx, grad_output):
        total = grad_output.sum(ctx.dim, keepdim=True)
        return total - grad_output.cumsum(ctx.dim) + grad_output, None

    @staticmethod
    def vmap(info, in_dims, x, dim):
        x = x.movedim(in_dims[0], 0)
        return Total.apply(x, dim + 1 if dim >= 0 else dim), 0


@bank.right("a triangular matrix; setup_context, with rules for vmap and forward mode")
class Triangle(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x, dim):
        return x.cumsum(dim)

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, ctx.dim = inputs

    @staticmethod
    def backward(ctx, grad_output):
        last = grad_output.movedim(ctx.dim, -1)
        size = last.shape[-1]
        matrix = torch.ones(size, size, dtype=last.dtype, device=last.device).tril()
        return (last @ matrix).movedim(-1, ctx.dim), None

    @staticmethod
    def jvp(ctx, tangent, _):
        return tangent.cumsum(ctx.dim)


@bank.wrong("D", "sums forwards again", witness.vjp)
class Forwards(Flip):
    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.cumsum(ctx.dim), None


@bank.wrong("D", "leaves the element itself out of its sum", witness.vjp)
class Exclusive(Flip):
    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.sum(ctx.dim, keepdim=True) - grad_output.cumsum(ctx.dim), None


@bank.wrong("D", "forgets to flip back", witness.vjp)
class OneFlip(Flip):
    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.flip(ctx.dim).cumsum(ctx.dim), None


@bank.wrong("H", "sums along the last axis, whichever was asked for", witness.vjp)
class LastAxis(Flip):
    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.flip(-1).cumsum(-1).flip(-1), None


@bank.wrong("H", "gives every element the total", witness.vjp)
class EveryTotal(Flip):
    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.sum(ctx.dim, keepdim=True).expand_as(grad_output), None


@bank.wrong("C", "returns nothing for the axis", witness.raises)
class OneGradient(Flip):
    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.flip(ctx.dim).cumsum(ctx.dim).flip(ctx.dim)


@bank.wrong("E", "sums up in the upstream gradient itself", witness.writes_upstream)
class InPlace(Flip):
    @staticmethod
    def backward(ctx, grad_output):
        slices = grad_output.unbind(ctx.dim)
        for i in range(len(slices) - 2, -1, -1):
            slices[i].add_(slices[i + 1])
        return grad_output, None


@bank.wrong("N", "sums in numpy, where the second derivative gets lost", witness.second)
class Numpy(Flip):
    @staticmethod
    def backward(ctx, grad_output):
        total = grad_output.detach().flip(ctx.dim).numpy().cumsum(ctx.dim)
        return torch.from_numpy(total).flip(ctx.dim), None


@bank.wrong("F", "computes into one buffer that all calls share", overwritten)
class Buffer(Flip):
    buffer = None

    @staticmethod
    def forward(ctx, x, dim):
        ctx.dim = dim
        if Buffer.buffer is None or Buffer.buffer.shape != x.shape or Buffer.buffer.dtype != x.dtype:
            Buffer.buffer = torch.empty_like(x)
        return Buffer.buffer.copy_(x.cumsum(dim)).detach()


@bank.wrong("G", "makes its matrix on the CPU", witness.other_device)
class OnCpu(Triangle):
    @staticmethod
    def backward(ctx, grad_output):
        last = grad_output.movedim(ctx.dim, -1)
        matrix = torch.ones(last.shape[-1], last.shape[-1], dtype=last.dtype).tril()
        return (last @ matrix).movedim(-1, ctx.dim), None


@bank.wrong("G", "reads the upstream gradient's memory as if it were contiguous", witness.layout)
class Strides(Flip):
    @staticmethod
    def backward(ctx, grad_output):
        strides = torch.empty(grad_output.shape, device="meta").stride()
        dense = grad_output.as_strided(grad_output.shape, strides)
        return dense.flip(ctx.dim).cumsum(ctx.dim).flip(ctx.dim), None


@bank.wrong(
    "H",
    "doubles its reach a step too seldom where the size is no power of two",
    witness.at(witness.vjp, lambda: (drawn(2, 5, 3), DIM)),
)
class Doubling(Flip):
    @staticmethod
    def backward(ctx, grad_output):
        total = grad_output.movedim(ctx.dim, -1)
        reach = 1
        while 2 * reach <= total.shape[-1]:
            total = total + torch.nn.functional.pad(total[..., reach:], (0, reach))
            reach *= 2
        return total.movedim(-1, ctx.dim), None


@bank.wrong("M", "sums the tangent backwards, as backward does", wrong_jvp)
class BackwardJvp(Triangle):
    @staticmethod
    def jvp(ctx, tangent, _):
        return tangent.flip(ctx.dim).cumsum(ctx.dim).flip(ctx.dim)
