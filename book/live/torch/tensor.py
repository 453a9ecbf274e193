"""The tensor: numbers in a storage, a shape to read them by, and the place in the graph where it hangs."""

import warnings
import weakref
from math import prod

from torch import printing
from torch.devices import as_device, device
from torch.dtypes import dtype, get_default_dtype
from torch.layout import Size, offsets, row_major, stretched, strided
from torch.nodes import AccumulateGrad, Node
from torch.storage import Storage

_NOT_A_LEAF = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be populated during "
    "autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf Tensor, use .retain_grad() on the "
    "non-leaf Tensor."
)
_ONLY_LEAVES = (
    "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a subgraph that "
    "doesn't require differentiation use var_no_grad = var.detach()."
)


class Tensor:
    """An array of numbers that can remember how it was computed."""

    __module__ = "torch"
    layout = strided
    is_sparse = is_quantized = is_nested = is_cuda = False

    def __new__(cls, *sizes: object, **options: object) -> "Tensor":
        if len(sizes) == 1 and isinstance(sizes[0], (list, tuple)) and not isinstance(sizes[0], Size):
            from torch.creation import tensor

            return tensor(sizes[0], dtype=get_default_dtype())
        shape = sizes[0] if len(sizes) == 1 and isinstance(sizes[0], Size) else sizes
        return new([0.0] * prod(shape), Size(shape), get_default_dtype(), cls=cls)

    # --- its numbers

    @property
    def dtype(self) -> dtype:
        return self._dtype

    @property
    def device(self) -> device:
        return self._device

    @property
    def is_meta(self) -> bool:
        return self._device.type == "meta"

    def values(self) -> list:
        """The numbers, row by row."""
        memory = self._memory()
        if self.is_contiguous():
            return memory[self._offset : self._offset + prod(self.shape)]
        return [memory[place] for place in offsets(self.shape, self._strides, self._offset)]

    def stretched_to(self, shape: tuple) -> list:
        """The numbers as broadcasting repeats them for a larger shape."""
        if shape == self.shape:
            return self.values()
        memory = self._memory()
        if prod(self.shape) == 1:
            return [memory[self._offset]] * prod(shape)
        return [memory[place] for place in offsets(shape, stretched(self.shape, self._strides, shape), self._offset)]

    def write(self, values: list) -> None:
        """Put other numbers into the memory, and count that it happened."""
        if 0 in self._strides and any(size > 1 for size, s in zip(self.shape, self._strides, strict=True) if s == 0):
            raise RuntimeError(
                "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
                "Please clone() the tensor before performing the operation."
            )
        if not self.is_meta:
            memory = self._storage.values
            for place, value in zip(offsets(self.shape, self._strides, self._offset), self._dtype.rounded(values), strict=True):
                memory[place] = value
        self._versions[0] += 1

    def _memory(self) -> list:
        if self._storage.values is None:
            raise NotImplementedError("Cannot copy out of meta tensor; no data!")
        return self._storage.values

    def item(self) -> object:
        if self.is_meta:
            raise RuntimeError("Tensor.item() cannot be called on meta tensors")
        if self.numel() != 1:
            raise RuntimeError(f"a Tensor with {self.numel()} elements cannot be converted to Scalar")
        return self.values()[0]

    def tolist(self) -> object:
        return _nested(self.values(), self.shape)

    # --- its shape

    def size(self, dim: int | None = None) -> Size | int:
        return self.shape if dim is None else self.shape[dim]

    def stride(self, dim: int | None = None) -> tuple | int:
        return self._strides if dim is None else self._strides[dim]

    def dim(self) -> int:
        return len(self.shape)

    ndim = property(dim)

    def numel(self) -> int:
        return prod(self.shape)

    nelement = numel

    def storage_offset(self) -> int:
        return self._offset

    def untyped_storage(self) -> Storage:
        return self._storage

    def data_ptr(self) -> int:
        return self._storage.data_ptr() + self._offset * self._dtype.itemsize if self._storage.size else 0

    def element_size(self) -> int:
        return self._dtype.itemsize

    def is_contiguous(self, memory_format: object = None) -> bool:
        rows = row_major(self.shape)
        if rows == self._strides:
            return True
        return 0 in self.shape or all(n == 1 or a == b for n, a, b in zip(self.shape, self._strides, rows, strict=True))

    def is_floating_point(self) -> bool:
        return self._dtype.is_floating_point

    def is_complex(self) -> bool:
        return False

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of a 0-d tensor")
        return self.shape[0]

    def __bool__(self) -> bool:
        if self.numel() != 1:
            words = "more than one value is ambiguous" if self.numel() else "no values is ambiguous"
            raise RuntimeError(f"Boolean value of Tensor with {words}")
        return bool(self.item())

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __index__(self) -> int:
        if self._dtype.kind > 1 or self.numel() != 1:
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(self.item())

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        return printing.text_of(self)

    def __format__(self, spec: str) -> str:
        return format(self.item(), spec) if self.numel() == 1 and spec else repr(self)

    # --- its place in the graph

    @property
    def requires_grad(self) -> bool:
        return self._grad_fn is not None or self._requires_grad

    @requires_grad.setter
    def requires_grad(self, asked: bool) -> None:
        self.requires_grad_(asked)

    def requires_grad_(self, asked: bool = True) -> "Tensor":
        if asked and not self._dtype.is_floating_point:
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
        if not asked and self._grad_fn is not None:
            raise RuntimeError(_ONLY_LEAVES)
        self._requires_grad = bool(asked)
        return self

    @property
    def grad_fn(self) -> Node | None:
        if self._base is not None and self._base._grad_fn is not self._base_history:
            fresh = self._again(self._base)  # the base was changed in place: this view hangs behind the change
            self._grad_fn, self.output_nr, self._base_history = fresh._grad_fn, fresh.output_nr, self._base._grad_fn
        return self._grad_fn

    @property
    def is_leaf(self) -> bool:
        return self._grad_fn is None

    @property
    def retains_grad(self) -> bool:
        return self._retains

    @property
    def grad(self) -> "Tensor | None":
        if self._grad_fn is not None and not self._retains:
            warnings.warn(_NOT_A_LEAF, UserWarning, stacklevel=2)
        return self._grad

    @grad.setter
    def grad(self, gradient: "Tensor | None") -> None:
        if gradient is not None and gradient.shape != self.shape:
            raise RuntimeError(f"assigned grad has data of a different size: {list(gradient.shape)} and {list(self.shape)}")
        self._grad = gradient

    @property
    def _version(self) -> int:
        return self._versions[0]

    def edge(self) -> tuple[Node | None, int]:
        """Where a gradient for this tensor goes: its node, or what adds it up in a leaf, or nowhere."""
        if self.grad_fn is not None:
            return self._grad_fn, self.output_nr
        if not self._requires_grad:
            return None, 0
        accumulator = self._accumulator() if self._accumulator else None
        if accumulator is None:
            accumulator = AccumulateGrad(self)
            self._accumulator = weakref.ref(accumulator)
        return accumulator, 0


def _nested(values: list, shape: tuple) -> object:
    """Numbers in a row as lists in lists."""
    if not shape:
        return values[0]
    width = prod(shape[1:])
    return [_nested(values[i * width : (i + 1) * width], shape[1:]) for i in range(shape[0])]


def new(values: list | None, shape: tuple, of: dtype, on: device | None = None, cls: type = Tensor) -> Tensor:
    """A tensor of these numbers, row by row, with memory of its own."""
    on = as_device(on)
    stored = None if on.type == "meta" else of.rounded(values)
    return over(Storage(stored, of.itemsize, prod(shape)), shape, row_major(shape), 0, of, on, cls)


def over(storage: Storage, shape: tuple, strides: tuple, offset: int, of: dtype, on: device, cls: type = Tensor) -> Tensor:
    """A tensor that reads a storage."""
    self = object.__new__(cls)
    self._storage, self.shape, self._strides, self._offset = storage, Size(shape), tuple(strides), offset
    self._dtype, self._device, self._versions = of, on, [0]
    self._requires_grad, self._grad, self._grad_fn, self.output_nr = False, None, None, 0
    self._accumulator, self._retains, self._hooks, self._late_hooks = None, False, [], []
    self._base = self._again = self._base_history = self._guarded = None
    return self


def alias(t: Tensor, shape: tuple, strides: tuple, offset: int) -> Tensor:
    """The same memory, read otherwise, with the same count of changes."""
    result = over(t._storage, shape, strides, offset, t._dtype, t._device)
    result._versions = t._versions
    return result
