"""The same memory, read otherwise: views, each with the way back."""

from math import prod

from torch.layout import inferred, stretched, view_strides, wrapped
from torch.nodes import Operation
from torch.tensor import Tensor, alias


def sizes_of(sizes: tuple) -> tuple:
    return tuple(sizes[0]) if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)) else sizes


class ViewOperation(Operation):
    """A view remembers its base: a change in place of either is a change of both."""

    @classmethod
    def apply(cls, a, **options):
        result = super().apply(a, **options)
        for number, view in enumerate(result if isinstance(result, tuple) else (result,)):
            base, again = (a, None) if a._base is None else (a._base, a._again)
            view._base, view._base_history = base, base._grad_fn
            view._again = _retrace(cls, options, again, number if isinstance(result, tuple) else None)
        return result


def _retrace(cls, options, before, number):
    def again(base: Tensor) -> Tensor:
        result = cls.apply(before(base) if before else base, **options)
        return result if number is None else result[number]

    return again


class Alias(ViewOperation):
    """All of it."""

    def forward(self, a):
        return alias(a, a.shape, a._strides, a._offset)

    def backward(self, grad):
        return grad


class View(ViewOperation):
    """Another shape for the same numbers; the gradient gets the old one."""

    def forward(self, a, shape):
        shape = inferred(shape, a.numel())
        strides = view_strides(a.shape, a._strides, shape)
        if strides is None:
            raise RuntimeError(
                "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
                "contiguous subspaces). Use .reshape(...) instead."
            )
        self.save(self_sym_sizes=a.shape)
        return alias(a, shape, strides, a._offset)

    def backward(self, grad):
        return reshape(grad, self._saved_self_sym_sizes)


class Permute(ViewOperation):
    """Dimensions in another order; the gradient's are put back."""

    def forward(self, a, dims):
        dims = tuple(wrapped(d, a.dim()) for d in dims)
        self.save(dims=dims)
        return alias(a, [a.shape[d] for d in dims], [a._strides[d] for d in dims], a._offset)

    def backward(self, grad):
        dims = self._saved_dims
        return grad.permute([dims.index(d) for d in range(len(dims))])


class Transpose(ViewOperation):
    """Two dimensions change places, on the way back too."""

    def forward(self, a, dim0, dim1):
        self.save(dim0=dim0, dim1=dim1)
        order = list(range(a.dim()))
        i, j = wrapped(dim0, a.dim()), wrapped(dim1, a.dim())
        if order:
            order[i], order[j] = order[j], order[i]
        return alias(a, [a.shape[d] for d in order], [a._strides[d] for d in order], a._offset)

    def backward(self, grad):
        return grad.transpose(self._saved_dim0, self._saved_dim1)


class T(ViewOperation):
    """A matrix turned over; of a vector, itself."""

    def forward(self, a):
        if a.dim() > 2:
            raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {a.dim()}D")
        return alias(a, a.shape[::-1], a._strides[::-1], a._offset)

    def backward(self, grad):
        return grad.t()


class Expand(ViewOperation):
    """One number read in many places: their gradients are summed."""

    def forward(self, a, shape):
        missing = len(shape) - a.dim()
        own = (1,) * missing + a.shape
        wanted = tuple(n if m == -1 else m for n, m in zip(own, shape, strict=True)) if missing >= 0 else tuple(shape)
        for d, (n, m) in enumerate(zip(own, wanted, strict=False)):
            if n not in (1, m):
                raise RuntimeError(
                    f"The expanded size of the tensor ({m}) must match the existing size ({n}) at non-singleton dimension {d}.  "
                    f"Target sizes: {list(shape)}.  Tensor sizes: {list(a.shape)}"
                )
        self.save(self_sym_sizes=a.shape)
        return alias(a, wanted, stretched(a.shape, a._strides, wanted), a._offset)

    def backward(self, grad):
        return grad.sum_to_size(self._saved_self_sym_sizes)


class Unsqueeze(ViewOperation):
    """A dimension of size 1 more."""

    def forward(self, a, dim):
        dim = wrapped(dim, a.dim() + 1)
        self.save(dim=dim)
        step = a.shape[dim] * a._strides[dim] if dim < a.dim() else 1
        shape, strides = (*a.shape[:dim], 1, *a.shape[dim:]), (*a._strides[:dim], step, *a._strides[dim:])
        return alias(a, shape, strides, a._offset)

    def backward(self, grad):
        return grad.squeeze(self._saved_dim)


class Squeeze(ViewOperation):
    """Dimensions of size 1 less."""

    def forward(self, a, dim=None):
        chosen = range(a.dim()) if dim is None else [wrapped(d, a.dim()) for d in ((dim,) if isinstance(dim, int) else dim)]
        kept = [d for d in range(a.dim()) if d not in chosen or a.shape[d] != 1]
        self.save(self_sym_sizes=a.shape)
        return alias(a, [a.shape[d] for d in kept], [a._strides[d] for d in kept], a._offset)

    def backward(self, grad):
        return reshape(grad, self._saved_self_sym_sizes)


class _Squeeze(Squeeze):
    """Some dimensions of size 1 less."""

    number = 1


class Select(ViewOperation):
    """One place of a dimension; all others get a gradient of 0."""

    def forward(self, a, dim, index):
        if not a.shape:
            raise IndexError(
                "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a 0-dim "
                "tensor to a number"
            )
        n = a.shape[dim]
        if not -n <= index < n:
            raise IndexError(f"index {index} is out of bounds for dimension {dim} with size {n}")
        self.save(self_sym_sizes=a.shape, dim=dim, index=index % n)
        rest = [d for d in range(a.dim()) if d != dim]
        offset = a._offset + index % n * a._strides[dim]
        return alias(a, [a.shape[d] for d in rest], [a._strides[d] for d in rest], offset)

    def backward(self, grad):
        dim, index = self._saved_dim, self._saved_index
        return Inserted.apply(grad.unsqueeze(dim), shape=self._saved_self_sym_sizes, dim=dim, start=index, step=1)


class Slice(ViewOperation):
    """Some places of a dimension; all others get a gradient of 0."""

    def forward(self, a, dim, start, stop, step=1):
        if step <= 0:
            raise ValueError("step must be greater than zero")
        places = range(a.shape[dim])[start:stop:step]
        self.save(self_sym_sizes=a.shape, dim=dim, start=places.start, step=step)
        shape, strides = list(a.shape), list(a._strides)
        shape[dim], strides[dim] = len(places), strides[dim] * step
        return alias(a, shape, strides, a._offset + places.start * a._strides[dim])

    def backward(self, grad):
        dim, start = self._saved_dim, self._saved_start
        return Inserted.apply(grad, shape=self._saved_self_sym_sizes, dim=dim, start=start, step=self._saved_step)


class Inserted(Operation):
    """Zeros, with a tensor at some places of a dimension: the way back of a slice."""

    def forward(self, a, shape, dim, start, step):
        self.save(dim=dim, start=start, step=step, count=a.shape[dim])
        result = a.new_zeros(shape)
        if a.numel():
            Slice().forward(result, dim, start, None, step)[(slice(None),) * dim + (slice(a.shape[dim]),)].copy_(a)
        return result

    def backward(self, grad):
        start, step = self._saved_start, self._saved_step
        stop = start + step * self._saved_count
        return Slice.apply(grad, dim=self._saved_dim, start=start, stop=stop, step=step)


class Unbind(ViewOperation):
    """The rows one by one; the gradient puts them together."""

    def forward(self, a, dim):
        self.save(dim=dim, self_sizes=a.shape)
        return tuple(Select().forward(a, wrapped(dim, a.dim()), i) for i in range(a.shape[dim]))

    def backward(self, *grads):
        from torch.indexing import stack

        some = next(g for g in grads if g is not None)
        return stack([g if g is not None else some.new_zeros(some.shape) for g in grads], self._saved_dim)


class AsStrided(Operation):
    """Any reading of the memory; each gradient goes to the place where its number came from."""

    def forward(self, a, size, stride, storage_offset=None):
        offset = a._offset if storage_offset is None else storage_offset
        last = offset + sum((n - 1) * s for n, s in zip(size, stride, strict=True))
        if prod(size) and last >= a._storage.size:
            need = (last + 1) * a.element_size()
            raise RuntimeError(
                f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {offset}, and itemsize "
                f"{a.element_size()} requiring a storage size of {need} are out of bounds for storage of size "
                f"{a._storage.nbytes()}"
            )
        return alias(a, size, stride, offset)

    def backward(self, grad):
        raise NotImplementedError("the small torch of this page does not differentiate as_strided; use views and reshape")


def reshape(a: Tensor, *sizes: int) -> Tensor:
    """Another shape: a view where the memory allows it, else a copy."""
    shape = inferred(sizes_of(sizes), a.numel())
    return View.apply(a if view_strides(a.shape, a._strides, shape) is not None else a.contiguous(), shape=shape)


def flatten(a: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    if not a.shape:
        return reshape(a, 1)
    start, end = wrapped(start_dim, a.dim()), wrapped(end_dim, a.dim())
    return reshape(a, (*a.shape[:start], prod(a.shape[start : end + 1]), *a.shape[end + 1 :]))


def movedim(a: Tensor, source: int, destination: int) -> Tensor:
    order = [d for d in range(a.dim()) if d != wrapped(source, a.dim())]
    order.insert(wrapped(destination, a.dim()), wrapped(source, a.dim()))
    return Permute.apply(a, dims=order)
