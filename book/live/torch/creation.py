"""New tensors."""

from collections.abc import Callable
from math import ceil, prod

from torch.devices import as_device
from torch.dtypes import bool_, dtype, float64, get_default_dtype, int64, of_number, wider
from torch.layout import Size, row_major
from torch.nodes import Operation
from torch.tensor import Tensor, new
from torch.views import sizes_of


def tensor(data: object, *, dtype: dtype | None = None, device: object = None, requires_grad: bool = False) -> Tensor:
    """A tensor of numbers, or of lists of them."""
    numbers, shape = _flat(data)
    result = new(numbers, shape, dtype or _type_of(numbers, data), device)
    return result.requires_grad_() if requires_grad else result


def as_tensor(data: object, *, dtype: dtype | None = None, device: object = None) -> Tensor:
    """The tensor itself where it fits, else one of these numbers."""
    return to(data, dtype, device) if isinstance(data, Tensor) else tensor(data, dtype=dtype, device=device)


def _type_of(numbers: list, data: object) -> dtype:
    if isinstance(data, Tensor):
        return data.dtype
    found = None
    for number in numbers:
        found = of_number(number) if found is None else wider(found, of_number(number))
    return found or get_default_dtype()


def _flat(data: object) -> tuple[list, tuple]:
    if isinstance(data, Tensor):
        return data.values(), data.shape
    if isinstance(data, (bool, int, float)):
        return [data], ()
    if isinstance(data, str):
        raise TypeError(f"new(): invalid data type '{type(data).__name__}'")
    if not isinstance(data, (list, tuple, range)):
        raise RuntimeError(f"Could not infer dtype of {type(data).__name__}")
    parts = [_flat(part) for part in data]
    if len({shape for _, shape in parts}) > 1:
        sizes = [shape[0] if shape else 0 for _, shape in parts]
        raise ValueError(f"expected sequence of length {sizes[0]} at dim 1 (got {next(n for n in sizes if n != sizes[0])})")
    return [number for numbers, _ in parts for number in numbers], (len(parts), *(parts[0][1] if parts else ()))


def filled(value: float | None, default: dtype | None = None) -> Callable:
    """`torch.zeros` and its like: a shape, filled with one number."""

    def make(*sizes: object, dtype: dtype | None = None, device: object = None, requires_grad: bool = False, **_: object):
        shape = Size(int(n) for n in sizes_of(sizes or ((),)))
        result = new([value] * prod(shape), shape, dtype or default or get_default_dtype(), device)
        return result.requires_grad_() if requires_grad else result

    return make


zeros, ones, empty = filled(0), filled(1), filled(0)


def full(size: tuple, fill_value: float, *, dtype: dtype | None = None, **options: object) -> Tensor:
    return filled(fill_value, of_number(fill_value))(size, dtype=dtype, **options)


def like(value: float) -> Callable:
    """`torch.zeros_like` and its like."""

    def make(t: Tensor, *, dtype: dtype | None = None, device: object = None, **options: object) -> Tensor:
        keeps_layout = options.pop("memory_format", None) is None
        result = filled(value)(t.shape, dtype=dtype or t.dtype, device=device or t.device, **options)
        if keeps_layout and not t.is_contiguous() and _has_no_gaps(t):
            result._strides = t.stride()  # all of its numbers are the same, so none has to move
        return result

    return make


def _has_no_gaps(t: Tensor) -> bool:
    """Whether its numbers fill its memory, in some order of the dimensions."""
    order = sorted(range(t.dim()), key=t.stride, reverse=True)
    return tuple(map(t.stride, order)) == row_major(tuple(t.shape[d] for d in order))


zeros_like, ones_like, empty_like = like(0), like(1), like(0)


def full_like(t: Tensor, fill_value: float, **options: object) -> Tensor:
    return like(fill_value)(t, **options)


def new_filled(value: float) -> Callable:
    """`t.new_zeros` and its like: the type and the device of `t`."""

    def make(t: Tensor, *sizes: object, dtype: dtype | None = None, device: object = None, **options: object) -> Tensor:
        return filled(value)(*sizes, dtype=dtype or t.dtype, device=device or t.device, **options)

    return make


def new_full(t: Tensor, size: tuple, fill_value: float, **options: object) -> Tensor:
    return new_filled(fill_value)(t, size, **options)


def new_tensor(t: Tensor, data: object, *, dtype: dtype | None = None, device: object = None, **options: object) -> Tensor:
    return tensor(data, dtype=dtype or t.dtype, device=device or t.device, **options)


def arange(start: float, end: float | None = None, step: float = 1, *, dtype: dtype | None = None, device: object = None):
    start, end = (0, start) if end is None else (start, end)
    count = max(ceil((end - start) / step), 0)
    whole = all(isinstance(n, int) for n in (start, end, step))
    return new([start + i * step for i in range(count)], (count,), dtype or (int64 if whole else get_default_dtype()), device)


def linspace(
    start: float, end: float, steps: int, *, dtype: dtype | None = None, device: object = None, requires_grad: bool = False
) -> Tensor:
    step = (end - start) / max(steps - 1, 1)
    # from both ends, as torch does, so that the middle comes out even
    values = [start + i * step if i < steps // 2 else end - (steps - 1 - i) * step for i in range(steps)]
    values = values if steps != 1 else [start]
    return new(values, (steps,), dtype or get_default_dtype(), device).requires_grad_(requires_grad)


def eye(n: int, m: int | None = None, *, dtype: dtype | None = None, device: object = None, requires_grad: bool = False):
    columns = n if m is None else m
    values = [float(i == j) for i in range(n) for j in range(columns)]
    return new(values, (n, columns), dtype or get_default_dtype(), device).requires_grad_(requires_grad)


class ToCopy(Operation):
    """The same numbers as another type or elsewhere; the gradient comes back as the old type."""

    def forward(self, a, dtype, device):
        self.save(dtype=a.dtype, device=a.device)
        on = as_device(device)
        values = [0] * a.numel() if a.is_meta and on.type == "meta" else a.values()
        result = new(values, a.shape, dtype, on)
        return _keeping_strides(a, result)

    def backward(self, grad):
        return to(grad, self._saved_dtype, self._saved_device)


def to(a: Tensor, *target: object, dtype: dtype | None = None, device: object = None, copy: bool = False, **_: object) -> Tensor:
    """`a.to(dtype)`, `a.to(device)`, `a.to(other)`: itself where nothing changes."""
    for one in target:
        if isinstance(one, Tensor):
            dtype, device = one.dtype, one.device
        elif one is float or one is int or one is bool:
            dtype = {float: float64, int: int64, bool: bool_}[one]
        elif hasattr(one, "itemsize"):
            dtype = one
        elif one is not None and not isinstance(one, bool):
            device = one
    dtype, device = dtype or a.dtype, as_device(device) if device is not None else a.device
    if not copy and dtype is a.dtype and device == a.device:
        return a
    return ToCopy.apply(a, dtype=dtype, device=device)


class Clone(Operation):
    """A copy; the gradient passes."""

    def forward(self, a, memory_format=None):
        result = new(None if a.is_meta else a.values(), a.shape, a.dtype, a.device)
        return _keeping_strides(a, result) if memory_format in (None, "preserve") else result

    def backward(self, grad):
        return grad


def _keeping_strides(a: Tensor, copy: Tensor) -> Tensor:
    """A copy of a transposed tensor is transposed too, as torch makes it; of an expanded one it is not."""
    order = sorted(range(a.dim()), key=lambda d: -a._strides[d])
    dense, step = [0] * a.dim(), 1
    for d in reversed(order):
        dense[d] = step
        step *= max(a.shape[d], 1)
    if a.is_contiguous() or tuple(dense) != tuple(a._strides) or copy.is_meta:
        return copy
    turned = new(copy.values(), a.shape, copy.dtype, copy.device)
    turned._strides = tuple(dense)
    turned.write(copy.values())
    turned._versions[0] = 0
    return turned
