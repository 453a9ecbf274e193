"""Shapes, and how the numbers of a tensor lie in its memory."""

from functools import lru_cache
from math import prod

strided = "torch.strided"  # how all tensors lie here; torch has others


class Size(tuple):
    """A shape."""

    def __repr__(self) -> str:
        return f"torch.Size([{', '.join(map(str, self))}])"

    def numel(self) -> int:
        return prod(self)


@lru_cache(maxsize=256)
def row_major(shape: tuple) -> tuple:
    """The strides of a tensor whose numbers lie row by row."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))


def offsets(shape: tuple, strides: tuple, start: int = 0) -> list[int]:
    """The places in memory of all numbers, row by row."""
    places = [start]
    for size, stride in zip(shape, strides, strict=True):
        places = [place + i * stride for place in places for i in range(size)]
    return places


@lru_cache(maxsize=256)
def broadcast(*shapes: tuple) -> Size:
    """The shape that all of these stretch to: from the right, sizes are equal or 1."""
    result: list[int] = []
    for shape in shapes:
        result = [1] * (len(shape) - len(result)) + result
        first = len(result) - len(shape)
        for i, size in enumerate(shape, start=first):
            if size != result[i] and 1 not in (size, result[i]):
                raise RuntimeError(
                    f"The size of tensor a ({result[i]}) must match the size of tensor b ({size}) at non-singleton dimension {i}"
                )
            result[i] = size if result[i] == 1 else result[i]
    return Size(result)


def stretched(shape: tuple, strides: tuple, to: tuple) -> tuple:
    """The strides with which a tensor is read as a larger one: 0 where its one number serves all places."""
    missing = len(to) - len(shape)
    own = (0 if size == 1 and wanted != 1 else stride for size, stride, wanted in zip(shape, strides, to[missing:], strict=True))
    return (0,) * missing + tuple(own)


def wrapped(dim: int, dims: int) -> int:
    """A dimension counted from the front; torch counts from the end where it is negative."""
    low, high = -max(dims, 1), max(dims, 1) - 1
    if not low <= dim <= high:
        raise IndexError(f"Dimension out of range (expected to be in range of [{low}, {high}], but got {dim})")
    return dim % max(dims, 1)


def inferred(shape: tuple, numel: int) -> Size:
    """The shape with its -1 worked out."""
    known = prod(size for size in shape if size != -1)
    if -1 in shape:
        if known == 0:
            raise RuntimeError(
                f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified dimension size -1 can be "
                "any value and is ambiguous"
            )
        shape = tuple(numel // known if size == -1 else size for size in shape)
    if prod(shape) != numel:
        raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {numel}")
    return Size(shape)


def view_strides(shape: tuple, strides: tuple, new: tuple) -> tuple | None:
    """The strides with which the same memory has the shape `new`; None where it cannot be read so."""
    if prod(shape) == 0 or not shape:
        return row_major(new)
    result, place = [0] * len(new), len(new) - 1
    step, here, there = strides[-1], 1, 1
    for d in reversed(range(len(shape))):
        here *= shape[d]
        if d == 0 or (shape[d - 1] != 1 and strides[d - 1] != here * step):
            while place >= 0 and (there < here or new[place] == 1):
                result[place] = there * step
                there *= new[place]
                place -= 1
            if there != here:
                return None
            if d:
                step, here, there = strides[d - 1], 1, 1
    return tuple(result) if place == -1 else None
