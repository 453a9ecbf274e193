"""Square brackets: `t[i]`, `t[1:3, None]`, `t[mask]`, `t[[2, 0]]`, reading and writing; and tensors put side by side."""

from torch.dtypes import bool_, int64, result_type
from torch.layout import Size, broadcast, offsets, row_major, wrapped
from torch.nodes import Operation
from torch.pointwise import where
from torch.tensor import Tensor, new
from torch.views import Select, Slice, Unsqueeze

_NO_MASK = "The small torch of this page cannot look up the places of a mask on the meta device, which has no numbers (nonzero)"


class Index(Operation):
    """The numbers at given places, counted row by row; their gradients are added back there."""

    def forward(self, a, places, shape):
        self.save(places=places, sizes=a.shape)
        values = None if a.is_meta else a.values()
        return new((values and [values[p] for p in places]) or ([] if values is not None else None), shape, a.dtype, a.device)

    def backward(self, grad):
        return IndexAdd.apply(grad, places=self._saved_places, shape=self._saved_sizes)


class IndexAdd(Operation):
    """Zeros, with numbers added at given places."""

    def forward(self, a, places, shape):
        self.save(places=places, sizes=a.shape)
        result = new([0] * Size(shape).numel(), shape, a.dtype, a.device)
        if not a.is_meta:
            memory = result._storage.values
            for place, value in zip(places, a.values(), strict=True):
                memory[place] += value
            result._storage.values = a.dtype.rounded(memory)
        return result

    def backward(self, grad):
        return Index.apply(grad, places=self._saved_places, shape=self._saved_sizes)


class IndexPut(Operation):
    """A tensor with other numbers at given places: these get the gradient, and what was there before gets 0."""

    def forward(self, a, values, places, shape):
        self.save(places=places, shape=shape)
        result = a.values()
        for place, value in zip(places, values.stretched_to(shape), strict=True):
            result[place] = value
        return new(result, a.shape, a.dtype, a.device)

    def backward(self, grad):
        places, shape = self._saved_places, self._saved_shape
        zero = grad.new_zeros(())
        return IndexPut.apply(grad, zero, places=places, shape=shape), Index.apply(grad, places=places, shape=shape)


def get(t: Tensor, index: object) -> Tensor:
    """`t[index]`."""
    view, advanced = _basic(t, index)
    if not advanced:
        return view if view is not t else t.view_as(t)
    places, shape = _places(view, advanced)
    return Index.apply(view, places=places, shape=shape)


def put(t: Tensor, index: object, value: object) -> None:
    """`t[index] = value`."""
    value = value if isinstance(value, Tensor) else new([value], (), t.dtype, t.device)
    if isinstance(index, Tensor) and index.dtype is bool_ and index.shape == t.shape and value.numel() == 1:
        t._replace(where(index, value.reshape(()).to(t.dtype), t), "IndexPut")
        return
    view, advanced = _basic(t, index)
    if not advanced:
        view.copy_(value)
        return
    places, shape = _places(view, advanced)
    view._replace(IndexPut.apply(view, value, places=places, shape=Size(shape)), "IndexPut")


def _basic(t: Tensor, index: object) -> tuple[Tensor, dict[int, Tensor]]:
    """The view that numbers, slices, None and … make, and the tensors that remain as indices of its dimensions."""
    parts = list(index) if isinstance(index, tuple) else [index]
    taken = sum(_width(part) for part in parts)
    if taken > t.dim() and t.shape:
        raise IndexError(f"too many indices for tensor of dimension {t.dim()}")
    if not any(part is Ellipsis for part in parts):
        parts.append(Ellipsis)
    view, dim, advanced = t, 0, {}
    for part in parts:
        if part is Ellipsis:
            dim += t.dim() - taken
        elif part is None:
            view, dim = Unsqueeze.apply(view, dim=dim), dim + 1
        elif isinstance(part, slice):
            step = 1 if part.step is None else int(part.step)
            start, stop = (None if end is None else int(end) for end in (part.start, part.stop))
            if (start, stop, step) != (None, None, 1):
                view = Slice.apply(view, dim=dim, start=start, stop=stop, step=step)
            dim += 1
        elif isinstance(part, (list, range)) or (isinstance(part, Tensor) and (part.shape or part.dtype is bool_)):
            part = part if isinstance(part, Tensor) else _as_tensor(part)
            if not part.shape:  # one yes or no: a dimension of size 1 that it keeps or not
                view, part = Unsqueeze.apply(view, dim=dim), part.reshape(1)
            advanced[dim] = part
            dim += _width(part)
        else:
            view = Select.apply(view, dim=dim, index=int(part.item() if isinstance(part, Tensor) else part))
    return view, advanced


def _width(part: object) -> int:
    """How many dimensions a part of an index speaks of."""
    if part is None or part is Ellipsis:
        return 0
    return part.dim() if isinstance(part, Tensor) and part.dtype is bool_ else 1


def _as_tensor(part: object) -> Tensor:
    from torch.creation import tensor

    return tensor(list(part)) if len(part) else new([], (0,), int64)


def _places(t: Tensor, advanced: dict[int, Tensor]) -> tuple[list[int], tuple]:
    """The places, row by row, that index tensors choose, and the shape of what is there."""
    chosen: dict[int, Tensor] = {}
    for dim, index in advanced.items():
        if index.dtype is not bool_:
            chosen[dim] = index
            continue
        if index.is_meta:
            raise NotImplementedError(_NO_MASK)
        for d, (n, m) in enumerate(zip(index.shape, t.shape[dim:], strict=False)):
            if n != m:
                raise IndexError(
                    f"The shape of the mask {list(index.shape)} at index {d} does not match the shape of the indexed tensor "
                    f"{list(t.shape)} at index {dim + d}"
                )
        for d, places in enumerate(index.nonzero(as_tuple=True)):
            chosen[dim + d] = places
    together = broadcast(*(i.shape for i in chosen.values()))
    columns = {dim: index.stretched_to(together) for dim, index in chosen.items()}
    strides, sizes = row_major(t.shape), t.shape
    for dim, column in columns.items():
        for i in column:
            if not -sizes[dim] <= i < sizes[dim]:
                raise IndexError(f"index {i} is out of bounds for dimension {dim} with size {sizes[dim]}")
    picked = [sum(column[k] % sizes[d] * strides[d] for d, column in columns.items()) for k in range(together.numel())]
    first, last = min(chosen), max(chosen)
    front = range(first) if last - first + 1 == len(chosen) else ()  # apart, the indexed dimensions come first
    before = [d for d in range(t.dim()) if d in front]
    after = [d for d in range(t.dim()) if d not in front and d not in chosen]
    places = []
    for outer in offsets([sizes[d] for d in before], [strides[d] for d in before]):
        for inner in picked:
            places += offsets([sizes[d] for d in after], [strides[d] for d in after], outer + inner)
    return places, (*(sizes[d] for d in before), *together, *(sizes[d] for d in after))


class Cat(Operation):
    """Tensors one behind the other; each gets its part of the gradient."""

    def forward(self, *tensors, dim=0):
        first, dim = tensors[0], wrapped(dim, tensors[0].dim())
        within = result_type(*tensors)
        sizes = [t.shape[dim] for t in tensors]
        self.save(dim=dim, sizes=sizes)
        result = new(
            [0] * (first.numel() // max(first.shape[dim], 1) * sum(sizes)),
            (*first.shape[:dim], sum(sizes), *first.shape[dim + 1 :]),
            within,
            first.device,
        )
        start = 0
        for t in tensors:
            Slice().forward(result, dim, start, start + t.shape[dim]).copy_(t)
            start += t.shape[dim]
        result._versions[0] = 0
        return result

    def backward(self, grad):
        parts, start = [], 0
        for size in self._saved_sizes:
            parts.append(Slice.apply(grad, dim=self._saved_dim, start=start, stop=start + size))
            start += size
        return tuple(parts)


def cat(tensors: list, dim: int = 0) -> Tensor:
    return Cat.apply(*tensors, dim=dim)


class Stack(Operation):
    """Tensors of one shape along a new dimension; each gets its row of the gradient."""

    def forward(self, *tensors, dim=0):
        dim = wrapped(dim, tensors[0].dim() + 1)
        self.save(dim=dim)
        return Cat().forward(*(Unsqueeze().forward(t, dim) for t in tensors), dim=dim)

    def backward(self, grad):
        return grad.unbind(self._saved_dim)


def stack(tensors: list, dim: int = 0) -> Tensor:
    return Stack.apply(*tensors, dim=dim)


def nonzero(a: Tensor, as_tuple: bool = False) -> Tensor | tuple:
    """The places of the numbers that are not 0."""
    if a.is_meta:
        raise NotImplementedError(_NO_MASK)
    strides = row_major(a.shape)
    found = [place for place, value in enumerate(a.values()) if value]
    columns = [[place // s % n for place in found] for n, s in zip(a.shape, strides, strict=True)]
    if as_tuple:
        return tuple(new(column, (len(found),), int64) for column in columns)
    return new([i for row in zip(*columns, strict=True) for i in row], (len(found), a.dim()), int64)
