"""Other arguments than those that were handed over: memory layouts, sizes, flags, indices, tensors left out."""

import contextlib
import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from numbers import Integral, Real

import torch

from handgrad.audit.calls import Args, Call, Trace, as_tuple, real
from handgrad.audit.other_sizes import Reads, sizes_apart, takes

LONG = 1031  # a size above that of a block or a byte, and a prime
MOST = 1e7  # elements of a tensor on the way
WORDS = (  # texts that choose a branch, where torch and its users write them
    {"mean", "sum", "none"},
    {"none", "tanh"},
    {"relu", "gelu", "silu", "tanh"},
    {"zeros", "border", "reflection"},
    {"constant", "reflect", "replicate", "circular"},
    {"nearest", "bilinear", "bicubic"},
    {"backward", "ortho", "forward"},
    {"floor", "trunc"},
    {"sum", "mean", "amax", "amin", "prod"},
    {"same", "valid"},
)
WRITES = ("index_put", "index_copy", "scatter", "masked_scatter", "put_")  # where an index that comes twice is undefined


def without(call: Call) -> Iterator[Call]:
    """The call with each optional tensor left out."""
    for i in call.optional:
        args = tuple(None if k == i else a for k, a in enumerate(call.args))
        yield replace(call.at(args, f"{call.names[i]} = None: "), optional=())


def asking_for(call: Call, asked: list[int]) -> Args:
    """The arguments, where only some require grad."""
    return tuple(a.detach().requires_grad_(i in asked) if i in call.wanted else a for i, a in enumerate(call.args))


def other_values(call: Call) -> Iterator[tuple[str, Args]]:
    """The arguments with another value of each that is no tensor: a number, a flag, a word, some sizes."""
    for i, a in enumerate(call.args):
        for other in _others(call, a):
            shown = f"{other:.6g}" if isinstance(other, float) else repr(other)
            if isinstance(other, torch.Tensor):
                shown = f"a row of {len(other)}"
            yield f"{call.names[i]} = {shown}", _with(call, i, other)


def _others(call: Call, a: object) -> list:
    if isinstance(a, bool):
        return [not a]
    if isinstance(a, Integral):
        return [a + 1, a - 1]
    if isinstance(a, Real):
        return [type(a)(other) for other in (_another(a), *([-a] if call.reference and a else []))]
    if isinstance(a, str):
        texts = [text for text in _constants(call) if isinstance(text, str) and text.isidentifier()]
        known = [word for group in WORDS if a in group for word in sorted(group)]
        return [word for word in dict.fromkeys((*known, *texts)) if word != a][:4]
    if isinstance(a, (tuple, list)) and a and all(isinstance(part, Real) and not isinstance(part, bool) for part in a):
        kind = getattr(a, "_make", type(a))  # a named tuple has it
        if not all(isinstance(part, Integral) for part in a) or kind is not type(a):
            return [kind([part + 1 if isinstance(part, Integral) else _another(part) for part in a])]
        turned_on = [kind((*range(1, len(a)), 0))] if permutes_dimensions(a) else []
        return [*turned_on, kind(part + 1 for part in a), kind(part - 1 for part in a), kind((a[0] - 1, *a))]
    return [0.5, 1, *_rows(call)] if a is None else []


def _rows(call: Call) -> list[torch.Tensor]:
    """What may stand for an optional tensor: weights for the last size of the first input, and for its first."""
    first = call.args[call.wanted[0]]
    sizes = dict.fromkeys(first.shape[dim] for dim in (-1, 0) if first.dim())
    return [torch.linspace(0.5, 1.3, size, dtype=first.real.dtype, device=first.device) for size in sizes if size > 1]


def permutes_dimensions(a: object) -> bool:
    """Whether a value is an order of three or more dimensions; of fewer each is its own inverse."""
    return isinstance(a, (tuple, list)) and len(a) > 2 and sorted(map(str, a)) == sorted(map(str, range(len(a))))


def random(call: Call) -> bool:
    """Whether it gives something else when called again, as a probability may make it."""
    return not torch.equal(call.values(), torch.cat([real(output) for output in call.base.outputs]))


def _another(number: float) -> float:
    if not number:
        return 0.3
    return 1 / number if abs(number) != 1 else 3 * number


def _constants(call: Call) -> tuple:
    """What is written out in the code of forward: the texts it compares its arguments with, among others."""
    code = getattr(getattr(call.function, "forward", None), "__code__", None)
    return as_tuple(code.co_consts) if code else ()


def other_indices(call: Call) -> Iterator[tuple[str, Args]]:
    """An index that comes twice, one that is to be ignored, and masks that let nothing or the rest through."""
    for i, a in enumerate(call.args):
        if not isinstance(a, torch.Tensor) or not a.numel() or i in call.wanted:
            continue
        name = call.names[i]
        if a.dtype == torch.bool:
            yield f"{name} all False", _with(call, i, torch.zeros_like(a))
            yield f"{name} inverted", _with(call, i, ~a)
            turns = (torch.arange(a.numel(), device=a.device) % 2 == 0).reshape(a.shape)
            yield f"every second of {name} inverted", _with(call, i, a ^ turns)
        elif a.is_floating_point() and a.numel() > 1 and (a == a.flatten()[0]).all() and _may_vary(call, a):
            ramp = torch.linspace(0, 0.3, a.numel(), dtype=a.dtype, device=a.device).reshape(a.shape)
            yield f"{name} no longer constant", _with(call, i, a + ramp)
        elif not a.is_floating_point() and not a.is_complex():
            if _offsets(call, a):
                continue
            flat = a.flatten()
            others = (flat != flat[0]).nonzero().flatten()
            # what holds for a permutation alone, and what is written to a place twice, is nobody's fault
            if len(others) and not _permutes(a) and not _writes(call):
                twice = flat.clone()
                twice[others[0]] = flat[0]
                yield f"an index twice in {name}", _with(call, i, twice.reshape(a.shape))
            if not len(others) and len(flat) > 1 and not _writes(call):
                apart = flat.clone()
                apart[-1] += -1 if flat[0] > 0 else 1
                yield f"two values in {name}", _with(call, i, apart.reshape(a.shape))
            for number in _ignored(call):
                ignored = flat.clone()
                ignored[-1] = number
                yield f"{number} in {name}", _with(call, i, ignored.reshape(a.shape))


def _may_vary(call: Call, a: torch.Tensor) -> bool:
    """Whether a constant tensor is one by chance: a reference says so; without one a row of weights is, and no mask or label."""
    return call.reference is not None or (a.dim() == 1 and not any(_shares(a, extent) for extent in a.shape))


def _ignored(call: Call) -> list[int]:
    """The numbers that stand for an index that does not count: -100 and 255 by custom, others by their name."""
    named = [a for name, a in zip(call.names, call.args, strict=False) if "ignore" in name or "pad" in name]
    numbers = [a for a in (*_constants(call), *call.args) if type(a) is int and a in (-100, 255)]
    return list(dict.fromkeys(a for a in (*named, *numbers) if type(a) is int))


def _permutes(a: torch.Tensor) -> bool:
    """Whether each row is a permutation."""
    if not _whole(a) or not a.dim():
        return False
    return torch.equal(a.sort(-1).values, torch.arange(a.shape[-1], device=a.device, dtype=a.dtype).expand(a.shape))


def _offsets(call: Call, a: object) -> bool:
    """Whether these are the places where the rows of another argument are parted: 0, never falling, and that one's size."""
    if not isinstance(a, torch.Tensor) or not _whole(a) or a.dim() != 1 or len(a) < 2 or int(a[0]) or (a.diff() < 0).any():
        return False
    return any(isinstance(other, torch.Tensor) and int(a[-1]) in other.shape for other in call.args if other is not a)


def _whole(a: torch.Tensor) -> bool:
    return not (a.is_floating_point() or a.is_complex() or a.dtype == torch.bool)


def _marks(a: torch.Tensor) -> bool:
    """Whether all is -1, 0 or 1, and not 1 alone: whole numbers, a mask, signs."""
    if a.is_complex() or not a.is_floating_point():
        return not a.is_complex()
    return bool(((a == 0) | (a.abs() == 1)).all() and (a != 1).any())


def _shares(a: torch.Tensor, extent: int) -> bool:
    """Whether a tensor that needs no gradient sums, or has squares that sum, to 1 along a size: labels, unit vectors."""
    if a.requires_grad or not a.is_floating_point():
        return False
    sums = [part.sum(dim) for dim, size in enumerate(a.shape) if size == extent for part in (a, a.square())]
    return any(bool(((total - 1).abs() < 1e-5).all()) for total in sums)


def _writes(call: Call) -> bool:
    with Trace() as seen:
        call.values()
    return any(word in name for name in seen.operations for word in WRITES)


def _with(call: Call, i: int, other: object) -> Args:
    return (*call.args[:i], other, *call.args[i + 1 :])


def layouts(call: Call) -> Iterator[tuple[str, Args]]:
    """The same values, laid out otherwise in memory."""
    tensors = [*(call.args[i] for i in call.wanted), *call.upstream]
    if any(t.dim() > 1 or t.is_complex() for t in tensors):
        yield (
            "transposed in memory",
            tuple(turned(a).requires_grad_(a.requires_grad) if isinstance(a, torch.Tensor) else a for a in call.args),
        )
    if any(t.dim() == 1 for t in tensors):
        yield (
            "every second place in memory",
            tuple(_spread(a).requires_grad_(a.requires_grad) if isinstance(a, torch.Tensor) else a for a in call.args),
        )


def _spread(tensor: torch.Tensor) -> torch.Tensor:
    """The same values with a gap after each."""
    tensor = tensor.detach()
    return tensor.repeat_interleave(2, -1)[..., ::2] if tensor.dim() else tensor.clone()


def turned(tensor: torch.Tensor) -> torch.Tensor:
    """The same values with the first and the last dimension exchanged in memory."""
    tensor = tensor.detach()
    return tensor.transpose(0, -1).contiguous().transpose(0, -1) if tensor.dim() > 1 else tensor.clone()


def sizes(call: Call) -> Iterator[tuple[str, Args, bool]]:
    """Other arguments, and whether backward must run where forward does.

    Each size of the inputs cut to one, wherever it stands; the first cut to none; the first and the last made long; other
    values and indices; a dimension more and less; an optional tensor left out.
    """
    free = [a for i, a in enumerate(call.args) if isinstance(a, torch.Tensor) and i not in call.parameters]
    offsets = [i for i, a in enumerate(call.args) if _offsets(call, a)]
    fixed = {*call.parameters, *offsets}
    bound = {extent for i in call.parameters for extent in call.args[i].shape} | {int(call.args[i][-1]) for i in offsets}
    bound |= {extent for a in free for extent in a.shape if _shares(a, extent)}
    extents = sorted({extent for a in free for extent in a.shape if extent > 1} - bound, reverse=True)[:4]
    first = [a.shape[0] for a in free[:1] if a.dim() and a.shape[0] not in bound]
    for count, extent in [*((1, extent) for extent in extents), *((0, extent) for extent in first)]:
        args = (a if i in fixed else _cut(a, extent, count) for i, a in enumerate(call.args))
        yield f"size {extent} cut to {count}", tuple(args), count > 0
    ends = dict.fromkeys(call.args[i].shape[dim] for i in call.wanted[:1] if call.args[i].dim() for dim in (-1, 0))
    for extent in [extent for extent in ends if extent in extents] if not call.axes else ():
        if any(_whole(a) and extent in a.shape for a in free) and _writes(call):
            continue  # it would write to a place twice
        more, double = (partial(_made, call, fixed, extent, count) for count in (extent + 1, 2 * extent))
        with Reads(extent + 1) as seen:
            runs = takes(call, more())
        if seen.by_accident:
            continue
        small = all(a.numel() * (LONG / extent) ** tuple(a.shape).count(extent) < 20_000 for a in free)
        fits = small and _fits(call, call.at(double()), LONG / extent)
        if fits:
            yield f"size {extent} made {LONG}", _made(call, fixed, extent, LONG), True
        square = any(tuple(a.shape).count(extent) > 1 for a in free)  # nobody knows what one has to keep
        if not square and (not fits or extent % 2):  # the long one is odd
            yield f"size {extent} made {extent + 1}", more(), False
        if not runs:
            yield f"size {extent} doubled", double(), False
    inner = [extent for extent in extents if extent not in ends]
    if inner and not call.axes and not _writes(call):
        yield f"size {inner[0]} doubled", _made(call, fixed, inner[0], 2 * inner[0]), False
    for label, args in sizes_apart(call) if not call.axes else ():
        yield label, args, False
    for label, args in (*other_values(call), *other_indices(call)):
        yield label, args, False
    for i in call.wanted[1:3]:
        a = call.args[i].detach()
        yield f"{call.names[i]} all zeros", _with(call, i, torch.zeros_like(a).requires_grad_()), False
        if a.numel() > 1 and i not in call.parameters:
            one = a.flatten()[:1].reshape([1] * a.dim())
            if _broadcasts(call, _with(call, i, one), _with(call, i, one.expand_as(a))):
                yield f"{call.names[i]} a single number", _with(call, i, one.clone().requires_grad_()), False
    for near in without(call):
        yield near.label.removesuffix(": "), near.args, True
    for i in [i for i in call.wanted if i not in call.parameters][:1]:
        a = call.args[i].detach()
        for label, other in (
            ("a dimension more", torch.stack([a, 1.3 * a])),
            ("a dimension less", a[0] if a.dim() and len(a) else a),
        ):
            yield f"{label} in {call.names[i]}", _with(call, i, other.clone().requires_grad_()), False


def _made(call: Call, fixed: set[int], extent: int, count: int) -> Args:
    return tuple(a if i in fixed else _repeated(a, extent, count) for i, a in enumerate(call.args))


def _fits(call: Call, double: Call, times: float) -> bool:
    """Whether nothing on the way gets larger than `MOST`, by how much larger it gets with one size doubled."""
    sizes = [call.sizes, []]
    with contextlib.suppress(Exception):
        sizes[1] = double.sizes
    if len(sizes[0]) != len(sizes[1]):
        sizes = [[max(row, default=1)] for row in sizes]
    return all(two * (two / max(one, 1)) ** math.log2(times / 2) < MOST for one, two in zip(*sizes, strict=True))


def _broadcasts(call: Call, args: Args, whole: Args) -> bool:
    """Whether a single number counts as many, and no kernel reads beyond its end."""
    try:
        with torch.no_grad():
            pairs = zip(call.run(args).all, call.run(whole).all, strict=True)
            return all(torch.allclose(one, other) for one, other in pairs if isinstance(one, torch.Tensor))
    except Exception:
        return False


def _cut(a: object, extent: int, count: int) -> object:
    if not isinstance(a, torch.Tensor):
        return a
    index = tuple(slice(0, count) if size == extent else slice(None) for size in a.shape)
    return a.detach()[index].clone().requires_grad_(a.requires_grad)


def _repeated(a: object, extent: int, count: int) -> object:
    """Along each dimension of this size the tensor is continued to `count`: by itself, scaled a little, but for marks.

    A permutation goes on as one, block by block, and what was sorted stays so.
    """
    if not isinstance(a, torch.Tensor) or extent not in a.shape:
        return a
    index = torch.arange(count, device=a.device)
    longer = a.detach()
    for dim, size in enumerate(a.shape):
        if size != extent:
            continue
        along = [-1 if d == dim else 1 for d in range(a.dim())]
        rising = _whole(a) and bool((a.diff(dim=dim) >= 0).all())
        longer = longer.index_select(dim, index % extent)
        if dim == a.dim() - 1 and _permutes(a):
            whole = count - count % extent
            longer = torch.where(index < whole, longer + (index - index % extent).to(a.dtype), index.to(a.dtype))
        elif rising:
            longer = longer.sort(dim).values
        elif a.requires_grad or not (_marks(a) or any(_shares(a, each) for each in a.shape)):
            longer = longer * (1 + 0.003 * (index // extent)).reshape(along).to(a.real.dtype)
        if a.requires_grad:  # no multiple of a row: a matrix would be singular
            waves = torch.arange(longer.numel(), device=a.device).reshape(longer.shape).sin()
            longer = longer * (1 + 0.01 * waves * (index >= extent).reshape(along)).to(a.real.dtype)
    return longer.clone().requires_grad_(a.requires_grad)
