"""Products, views, indices and copies, under the names, and with the arguments, that torch gives them."""

import math

from torch import creation, indexing, pointwise, products, reductions, views
from torch.dtypes import bool_
from torch.in_place import Copy, Fill, Zero
from torch.tensor import Tensor, new


def sum_to_size(input, *size):
    return reductions.sum_to_size(input, *size)


def mm(input, mat2):
    return products.Mm.apply(input, mat2)


def dot(input, tensor):
    return products.Dot.apply(input, tensor)


def mv(input, vec):
    return products.matmul(input, vec)


def outer(input, vec2):
    return input.unsqueeze(1) * vec2


def tensordot(a, b, dims=2):
    """The sum over pairs of dimensions, or over the last of `a` with the first of `b`."""
    if not isinstance(dims, int):
        left, right = ([d % t.dim() for d in chosen] for t, chosen in zip((a, b), dims, strict=True))
    else:
        left, right = list(range(a.dim() - dims, a.dim())), list(range(dims))
    stay_a, stay_b = ([d for d in range(t.dim()) if d not in gone] for t, gone in ((a, left), (b, right)))
    width = math.prod(a.shape[d] for d in left)
    rows = a.permute(*stay_a, *left).reshape(math.prod(a.shape[d] for d in stay_a), width)
    columns = b.permute(*right, *stay_b).reshape(width, math.prod(b.shape[d] for d in stay_b))
    return mm(rows, columns).reshape(*(a.shape[d] for d in stay_a), *(b.shape[d] for d in stay_b))


matmul, bmm, addmm, einsum = products.matmul, products.bmm, products.addmm, products.einsum


def t(input):
    return views.T.apply(input)


def transpose(input, dim0, dim1):
    return views.Transpose.apply(input, dim0=dim0, dim1=dim1)


def permute(input, *dims):
    return views.Permute.apply(input, dims=views.sizes_of(dims))


def view(input, *shape):
    return views.View.apply(input, shape=views.sizes_of(shape))


def view_as(input, other):
    return view(input, other.shape)


def reshape_as(input, other):
    return views.reshape(input, other.shape)


def expand(input, *sizes):
    return views.Expand.apply(input, shape=views.sizes_of(sizes))


def expand_as(input, other):
    return expand(input, other.shape)


def unsqueeze(input, dim):
    return views.Unsqueeze.apply(input, dim=dim)


def squeeze(input, dim=None):
    return (views.Squeeze if dim is None else views._Squeeze).apply(input, dim=dim)


def unbind(input, dim=0):
    return views.Unbind.apply(input, dim=dim)


def as_strided(input, size, stride, storage_offset=None):
    return views.AsStrided.apply(input, size=size, stride=stride, storage_offset=storage_offset)


reshape, flatten, movedim = views.reshape, views.flatten, views.movedim
cat, stack, nonzero = indexing.cat, indexing.stack, indexing.nonzero


def index_select(input, dim, index):
    return indexing.get(input, (slice(None),) * dim + (index,))


def index_add(input, dim, index, source):
    places, shape = indexing._places(input, {dim: index})
    return input + indexing.IndexAdd.apply(source.expand(shape), places=places, shape=input.shape)


def flip(input, dims):
    for dim in (dims,) if isinstance(dims, int) else dims:
        input = index_select(input, dim, creation.arange(input.shape[dim] - 1, -1, -1))
    return input


def clone(input, *, memory_format=None):
    return creation.Clone.apply(input, memory_format=memory_format)


def copy(input, source):
    return Copy.apply(input, source)


def fill(input, value):
    return Fill.apply(input, value)


def zero(input):
    return Zero.apply(input)


def cumsum(input, dim):
    rows = unbind(input, dim)
    totals = [rows[0]]
    for row in rows[1:]:
        totals.append(totals[-1] + row)
    return stack(totals, dim)


def numel(input):
    return input.numel()


def is_tensor(obj):
    return isinstance(obj, Tensor)


def triu(input, diagonal=0):
    rows, columns = input.shape[-2:]
    kept = [j - i >= diagonal for i in range(rows) for j in range(columns)]
    return pointwise.where(new(kept, (rows, columns), bool_), input, 0.0)
