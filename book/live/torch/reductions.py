"""Sums, means and extremes over dimensions."""

import math
from collections.abc import Callable

from torch import arithmetic
from torch.dtypes import bool_, dtype, int64
from torch.layout import Size, offsets, row_major, wrapped
from torch.nodes import Operation
from torch.pointwise import pointwise, where
from torch.tensor import Tensor, new

Dims = int | tuple | list | None


def _dims(t: Tensor, dim: Dims) -> tuple[int, ...]:
    if dim is None or dim == () or dim == []:
        return tuple(range(t.dim()))
    chosen = (dim,) if isinstance(dim, int) else tuple(dim)
    return tuple(wrapped(d, t.dim()) for d in chosen) if t.shape else ()


def reduced(f: Callable[[list], object], t: Tensor, dim: Dims, keepdim: bool, result: dtype) -> Tensor:
    """Apply `f` to the list of numbers that fall together."""
    gone = _dims(t, dim)
    sizes = tuple(t.shape[d] for d in gone)
    kept = Size(n for d, n in enumerate(t.shape) if d not in gone)
    shape = Size(1 if d in gone else n for d, n in enumerate(t.shape)) if keepdim else kept
    if t.is_meta:
        return new(None, shape, result, t.device)
    values, strides = t.values(), row_major(t.shape)
    inner = offsets(sizes, tuple(strides[d] for d in gone))
    outer = offsets(kept, tuple(s for d, s in enumerate(strides) if d not in gone))
    return new([f([values[o + i] for i in inner]) for o in outer], shape, result, t.device)


def spread(grad: Tensor, shape: tuple, dim: Dims, keepdim: bool) -> Tensor:
    """A gradient of a reduced result, as large as what was reduced: one number for all that fell together."""
    if not keepdim and len(grad.shape) < len(shape):
        gone = {d % len(shape) for d in ((dim,) if isinstance(dim, int) else dim or range(len(shape)))}
        for d in sorted(gone):
            grad = grad.unsqueeze(d)
    return grad.expand(shape)


def _total(values: list) -> float:
    try:
        return math.fsum(values) if values and isinstance(values[0], float) else sum(values)
    except (OverflowError, ValueError):  # infinities of both signs, or a sum too large
        return sum(values)


class Sum(Operation):
    """Each number counts once: each gets the upstream gradient."""

    def forward(self, a, dtype=None):
        self.save(self_sym_sizes=a.shape)
        return reduced(_total, a, None, False, dtype or (a.dtype if a.is_floating_point() else int64))

    def backward(self, grad):
        return grad.expand(self._saved_self_sym_sizes)


class _Sum(Operation):
    """A sum over some dimensions: one gradient for all that fell together."""

    number = 1

    def forward(self, a, dim, keepdim=False, dtype=None):
        self.save(dim=dim, keepdim=keepdim, self_sym_sizes=a.shape)
        return reduced(_total, a, dim, keepdim, dtype or (a.dtype if a.is_floating_point() else int64))

    def backward(self, grad):
        return spread(grad, self._saved_self_sym_sizes, self._saved_dim, self._saved_keepdim)


class Mean(Operation):
    """The sum, divided by how many there are."""

    def forward(self, a):
        self.save(self_sym_numel=a.numel(), self_sym_sizes=a.shape)
        return _mean(a, None, False)

    def backward(self, grad):
        return grad.expand(self._saved_self_sym_sizes) / self._saved_self_sym_numel


class _Mean(Operation):
    """A mean over some dimensions."""

    number = 1

    def forward(self, a, dim, keepdim=False):
        self.save(dim=dim, keepdim=keepdim, self_sym_numel=a.numel(), self_sym_sizes=a.shape)
        return _mean(a, dim, keepdim)

    def backward(self, grad):
        spreads = spread(grad, self._saved_self_sym_sizes, self._saved_dim, self._saved_keepdim)
        return spreads * (grad.numel() / self._saved_self_sym_numel)


def _mean(a: Tensor, dim: Dims, keepdim: bool) -> Tensor:
    if not a.is_floating_point():
        raise RuntimeError(
            "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: Long"
        )
    return reduced(lambda v: _total(v) / len(v) if v else math.nan, a, dim, keepdim, a.dtype)


class Prod(Operation):
    """The product; the slope of a factor is the product of the others."""

    def forward(self, a, dim=None, keepdim=False):
        result = reduced(math.prod, a, dim, keepdim, a.dtype if a.is_floating_point() else int64)
        self.save(self=a, result=result, dim=dim, keepdim=keepdim)
        return result

    def backward(self, grad):
        a, dim, keepdim = self._saved_self, self._saved_dim, self._saved_keepdim
        return spread(grad * self._saved_result, a.shape, dim, keepdim) / a


class Max(Operation):
    """The largest number of all; where several are, they share the gradient."""

    number = 1
    best = staticmethod(arithmetic.largest)

    def forward(self, a):
        if not a.numel():
            raise RuntimeError(f"{self.operation.lower()}(): Expected reduction dim to be specified for input.numel() == 0.")

        def extreme(values: list) -> float:
            found = values[0]
            for value in values[1:]:
                found = self.best(found, value)
            return found

        result = reduced(extreme, a, None, False, a.dtype)
        self.save(self=a, result=result)
        return result

    def backward(self, grad):
        hit = self._saved_self == self._saved_result
        return where(hit, grad / hit.sum(), 0.0)


class Min(Max):
    best = staticmethod(arithmetic.smallest)


def argmax(a: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    return reduced(lambda v: max(range(len(v)), key=lambda i: (v[i] != v[i], v[i], -i)), a, dim, keepdim, int64)


def argmin(a: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    return argmax(-a, dim, keepdim)


def any_(a: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    return reduced(any, a, dim, keepdim, bool_)


def all_(a: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    return reduced(all, a, dim, keepdim, bool_)


def isclose(a: Tensor, b: Tensor, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Tensor:
    def close(x: float, y: float) -> bool:
        return x == y or (equal_nan and x != x and y != y) or (math.isfinite(x - y) and abs(x - y) <= atol + rtol * abs(y))

    return pointwise(close, a, b, result=bool_)


def allclose(a: Tensor, b: Tensor, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> bool:
    """Whether |a - b| <= atol + rtol · |b| everywhere."""
    if a.dtype is not b.dtype:
        first, second = (_SPOKEN.get(t.dtype.name, t.dtype.name) for t in (a, b))
        raise RuntimeError(f"{first} did not match {second}")
    return bool(all_(isclose(a, b, rtol, atol, equal_nan)))


_SPOKEN = {"float32": "Float", "float64": "Double", "int64": "Long", "bool": "Bool"}


def equal(a: Tensor, b: Tensor) -> bool:
    return a.shape == b.shape and a.values() == b.values()


def sum_to_size(a: Tensor, *shape: int) -> Tensor:
    """Sum over the dimensions that broadcasting had stretched."""
    shape = tuple(shape[0]) if shape and isinstance(shape[0], (tuple, list)) else shape
    leading = a.dim() - len(shape)
    fits = leading >= 0 and all(n in (1, m) for n, m in zip(shape, a.shape[leading:], strict=True))
    if not fits:
        raise RuntimeError(f"size {{{list(shape)}}} is not expandable to size {{{list(a.shape)}}}.")
    if a.shape == shape:
        return a
    ones = [leading + i for i, n in enumerate(shape) if n == 1 and a.shape[leading + i] != 1]
    total = _Sum.apply(a, dim=[*range(leading), *ones], keepdim=True) if leading or ones else a
    return total.reshape(shape)
