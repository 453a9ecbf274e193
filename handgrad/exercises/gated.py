"""Proofs that a version of `a * relu(b)` is wrong: by its values and gradients at many places, and by what it promises.

They ask neither gradcheck nor a loss, so that a version can be proved wrong which all of these accept.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

import torch
from torch import Tensor

from handgrad.audit import audit
from handgrad.mutants import witness
from handgrad.mutants.bank import Bank, Version

SCALES = (1.0, -1e6, 1e-6, 1e12)  # of upstream gradients
_PROMISES: dict[str, Callable[[Version, Bank], bool]] = {
    "backward returns another shape or dtype than its argument's": witness.raw,
    "float32 is not treated like float64": witness.single,
    "backward has float32's digits for float64": witness.precision,
    "backward changes the upstream gradient": witness.writes_upstream,
    "an argument is changed": witness.writes_input,
    "a second backward gives something else": witness.twice,
    "after a change in place the gradient is silently another": witness.stale,
    "two calls mix": witness.mixes_calls,
    "the second derivative is silently wrong": witness.second,
    "transposed tensors are not treated like others": witness.layout,
    "the expanded upstream gradient of sum() is not taken": witness.expanded,
    "asked for one gradient alone it goes wrong": witness.subset,
    "the output is never freed": witness.leaks,
    "the output requires grad where it should not, or the reverse": witness.tracks,
    "the output shares the memory of an argument": witness.aliases,
}
_SHAPES = ((), (0,), (1,), (2, 2, 3), (1, 4))


def gated(a: Tensor, b: Tensor) -> Tensor:
    """a · max(b, 0)"""
    return a * torch.relu(b)


@dataclass(frozen=True)
class Proof:
    """What is wrong with a version.

    Attributes:
        faults: in words; none for a right one.
        errors: of value and gradients at every place, relative to their size: what two versions have in common shows here.
    """

    faults: tuple[str, ...]
    errors: Tensor


def prove(function: type[torch.autograd.Function], bank: Bank) -> Proof:
    """Look for every fault of a version."""
    version = Version(function, "")
    faults: list[str] = []
    try:
        errors = torch.cat(list(_errors(version, *_places())))
    except Exception as error:
        return Proof((f"it raises {type(error).__name__}",), torch.zeros(0))
    if errors.any():
        faults.append("a value or a gradient is wrong")
    for shape in _SHAPES:
        if not _right_at(version, shape):
            faults.append("it goes wrong at an unusual shape")
            break
    faults += [words for words, shows in _PROMISES.items() if _shows(shows, version, bank)]
    if not faults:  # the device, rules for vmap and jvp: what has no witness here
        failed = audit(function, *bank.inputs()).failed
        faults += [f"the audit's probe {outcome.probe!r} fails" for outcome in failed]
    return Proof(tuple(faults), errors)


def alike(one: Proof, other: Proof) -> bool:
    """Whether two versions have the same fault, in the same size or in another."""
    if one.errors.shape != other.errors.shape or one.errors.any() != other.errors.any():
        return False
    if not one.errors.any():
        return one.faults == other.faults
    return bool(torch.nn.functional.cosine_similarity(one.errors, other.errors, 0).abs() > 1 - 1e-9)


@cache
def _places() -> tuple[Tensor, Tensor]:
    """Pairs (a, b) on a fine net near 0 and a coarse one up to 1e12, both signs, with exact zeros, ties and whole numbers."""
    powers = torch.logspace(-12, 12, 97, dtype=torch.float64)
    fine = torch.cat([torch.linspace(-10, 10, 2001, dtype=torch.float64), powers, -powers])
    few = torch.tensor([-1e6, -3.3, -1, -0.2, -1e-6, 0, 1e-6, 0.5, 1, 2.7, 1e6], dtype=torch.float64)
    one, other = torch.cartesian_prod(few, fine).T
    a, b = torch.cat([one, other, fine, fine]), torch.cat([other, one, fine, -fine])
    return a, b


def _errors(version: Version, a: Tensor, b: Tensor) -> Iterator[Tensor]:
    """Errors of the value and of both gradients, relative to the size of the factors; where b is 0 any slope between will do."""
    generator = torch.Generator().manual_seed(13)
    g = torch.randn(a.shape, generator=generator, dtype=torch.float64, device="cpu")
    for scale in SCALES:
        x, z, upstream = a.clone().requires_grad_(), b.clone().requires_grad_(), g * scale
        y = version(x, z)
        grad_a, grad_b = torch.autograd.grad(y, (x, z), upstream.clone(), allow_unused=True)
        yield _relative(y.detach(), gated(a, b), a * b)
        yield _relative(grad_a, upstream * b.clamp(min=0), upstream * b)
        slope = upstream * a
        right = torch.where(b > 0, slope, 0)
        if grad_b is not None:
            inside = (b == 0) & (grad_b * slope.sign() >= 0) & (grad_b.abs() <= slope.abs() * (1 + 1e-9))
            right = torch.where(inside, grad_b, right)
        yield _relative(grad_b, right, slope)


def _relative(got: Tensor | None, want: Tensor, size: Tensor) -> Tensor:
    got = torch.zeros_like(want) if got is None else got
    if got.shape != want.shape:
        return torch.ones_like(want)
    error = (got.to(want.dtype) - want) / torch.where(size == 0, 1, size.abs())
    error = torch.where(error.abs() < 1e-9, 0, error)
    return error.nan_to_num(nan=1e3, posinf=1e3, neginf=-1e3).clamp(-1e3, 1e3)


def _right_at(version: Version, shape: tuple[int, ...]) -> bool:
    generator = torch.Generator().manual_seed(7)
    a, b = (torch.randn(shape, generator=generator, dtype=torch.float64, device="cpu") for _ in range(2))
    try:
        return not any(error.any() for error in _errors(version, a, b))
    except Exception:
        return False


def _shows(shows: Callable[[Version, Bank], bool], version: Version, bank: Bank) -> bool:
    try:
        return bool(shows(version, bank))
    except Exception:
        return True
