"""Sizes that stand in several places, changed in one of them; sizes that forward takes by accident."""

from collections.abc import Iterator

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from handgrad.audit.calls import Args, Call, as_tuple

MOST_TRIED = 3


def sizes_apart(call: Call) -> Iterator[tuple[str, Args]]:
    """The arguments with a size that stands in several places changed in one of them, or in all but one, where forward runs.

    A mask for square scores, a scale read off the values in place of the queries, groups of heads: these are right as long as
    two sizes are equal, and no other arguments show it.
    """
    places: dict[int, list[tuple[int, int]]] = {}
    for i in call.wanted:
        free = i not in call.parameters and call.args[i].dim() > 1  # of a row of weights kernels read beyond the end
        for dim, extent in enumerate(call.args[i].shape if free else ()):
            places.setdefault(extent, []).append((i, dim))
    tried = 0
    for extent, shared in places.items():
        some = [[place] for place in shared] if len(shared) > 1 else []
        rest = [[other for other in shared if other != place] for place in shared] if len(shared) > 2 else []
        for chosen in [*some, *rest] if extent > 1 else []:
            # to a size above 1: what is broadcast is another question
            for count in (extent - 1, 2 * extent) if extent > 2 else (2 * extent,):
                args = tuple(_resized(a, [dim for j, dim in chosen if j == i], count) for i, a in enumerate(call.args))
                if tried < MOST_TRIED and takes(call, args):
                    tried += 1
                    where = " and ".join(f"dimension {dim} of {call.names[i]}" for i, dim in chosen)
                    yield f"size {extent} made {count} in {where} alone", args
                    break


def takes(call: Call, args: Args) -> bool:
    """Whether forward runs on these arguments."""
    try:
        with torch.no_grad():
            call.run(args)
    except Exception:
        return False
    return True


def _resized(a: object, dims: list[int], count: int) -> object:
    if not dims:
        return a
    other = a.detach()
    for dim in dims:
        other = other.narrow(dim, 0, count) if count < a.shape[dim] else torch.cat([other, 1.07 * other], dim)
    return other.clone().requires_grad_(a.requires_grad)


class Reads(TorchDispatchMode):
    """Sees whether forward takes a size by accident, which its author did not mean.

    Attributes:
        size: one more than what was handed over.
        picked: the places along it that are read one by one.
        parts: the sizes of the parts that it is cut into.
    """

    def __init__(self, size: int) -> None:
        super().__init__()
        self.size = size
        self.picked: set[int] = set()
        self.parts: set[int] = set()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        if func.is_view and len(args) > 1:
            for part in as_tuple(result):
                self._note(func.name(), args, part)
        return result

    def _note(self, name: str, args: tuple, part: torch.Tensor) -> None:
        if name == "aten::select.int" and args[0].shape[args[1]] == self.size:
            self.picked.add(args[2] % self.size)
        elif ("slice" in name or "split" in name) and self.size in args[0].shape:
            self.parts |= set(part.shape)

    @property
    def by_accident(self) -> bool:
        """Whether an odd size is cut into unequal halves, or all that there was is read one by one, and nothing more."""
        half = self.size // 2
        return (self.size % 2 == 1 and {half, half + 1} <= self.parts) or self.picked == set(range(self.size - 1))
