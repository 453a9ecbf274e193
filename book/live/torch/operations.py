"""The operations under the names, and with the arguments, that torch gives them."""

import math

from torch import arithmetic, creation, functions, indexing, pointwise, products, reductions, views
from torch.dtypes import bool_, result_type
from torch.in_place import Copy, Fill, Zero
from torch.tensor import Tensor, new


def add(input, other, *, alpha=1):
    return pointwise.Add.apply(input, other, alpha=alpha)


def sub(input, other, *, alpha=1):
    return pointwise.Sub.apply(input, other, alpha=alpha)


def rsub(input, other):
    return pointwise.Rsub.apply(input, other)


def mul(input, other):
    return pointwise.Mul.apply(input, other)


def div(input, other):
    return pointwise.Div.apply(input, other)


def pow(input, exponent):
    if isinstance(exponent, Tensor) or not isinstance(input, Tensor):
        return pointwise._Pow.apply(input, exponent)
    return pointwise.Pow.apply(input, exponent=exponent)


def square(input):
    return pow(input, 2)


def reciprocal(input):
    return 1 / input


def remainder(input, other):
    return pointwise.pointwise(arithmetic.remainder, input, other)


def maximum(input, other):
    return pointwise.Maximum.apply(input, other)


def minimum(input, other):
    return pointwise.Minimum.apply(input, other)


def clamp(input, min=None, max=None):
    if isinstance(min, Tensor) or isinstance(max, Tensor):
        input = input if min is None else maximum(input, min)
        return input if max is None else minimum(input, max)
    return pointwise.Clamp.apply(input, min=min, max=max)


def clamp_min(input, min):
    return clamp(input, min=min)


def clamp_max(input, max):
    return clamp(input, max=max)


def where(condition, input=None, other=None):
    return pointwise.where(condition, input, other)


def masked_fill(input, mask, value):
    return pointwise.MaskedFill.apply(input, value, mask=mask)


def heaviside(input, values):
    return pointwise.pointwise(lambda x, at_zero: at_zero if x == 0 else float(x > 0), input, values)


def threshold(input, threshold, value):
    return functions.Threshold.apply(input, threshold=threshold, value=value)


def _unary(operation, name):
    def function(input):
        return operation.apply(input)

    function.__name__ = function.__qualname__ = name
    return function


neg, abs, relu, exp, log, sqrt, sin, cos, tanh, sigmoid, sign, floor, ceil = (
    _unary(getattr(functions, name.title()), name)
    for name in ("neg", "abs", "relu", "exp", "log", "sqrt", "sin", "cos", "tanh", "sigmoid", "sign", "floor", "ceil")
)


def round(input, *, decimals=0):
    return functions.Round.apply(input, decimals=decimals)


lt, le, gt, ge, eq, ne = (pointwise.comparison(name) for name in ("lt", "le", "gt", "ge", "eq", "ne"))
logical_and = pointwise.logical(lambda a, b: bool(a and b))
logical_or = pointwise.logical(lambda a, b: bool(a or b))
logical_xor = pointwise.logical(lambda a, b: bool(a) is not bool(b))
logical_not = pointwise.logical(lambda a: not a)
isnan = pointwise.logical(lambda a: a != a)
isfinite = pointwise.logical(math.isfinite)
isinf = pointwise.logical(math.isinf)


def sum(input, dim=None, keepdim=False, *, axis=None, dtype=None):
    dim = axis if dim is None else dim
    if dim is None:
        return reductions.Sum.apply(input, dtype=dtype)
    return reductions._Sum.apply(input, dim=dim, keepdim=keepdim, dtype=dtype)


def mean(input, dim=None, keepdim=False, *, axis=None):
    dim = axis if dim is None else dim
    return reductions.Mean.apply(input) if dim is None else reductions._Mean.apply(input, dim=dim, keepdim=keepdim)


def prod(input, dim=None, keepdim=False):
    return reductions.Prod.apply(input, dim=dim, keepdim=keepdim)


def max(input, other=None):
    return reductions.Max.apply(input) if other is None else maximum(input, other)


def min(input, other=None):
    return reductions.Min.apply(input) if other is None else minimum(input, other)


def norm(input):
    return sqrt((input * input).sum())


def var(input, dim=None, correction=1, keepdim=False):
    apart = input - mean(input, dim, True)
    total = sum(apart * apart, dim, keepdim)
    return total * (1 / (input.numel() // total.numel() - correction))


def std(input, dim=None, correction=1, keepdim=False):
    return sqrt(var(input, dim, correction, keepdim))


argmax, argmin, allclose, isclose, equal = (
    getattr(reductions, name) for name in ("argmax", "argmin", "allclose", "isclose", "equal")
)
any, all = reductions.any_, reductions.all_


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


def bitwise_not(input):
    return logical_not(input) if input.dtype is bool_ else pointwise.pointwise(lambda a: ~a, input)


def bitwise_and(input, other):
    return pointwise.pointwise(lambda a, b: a & b, input, other)


def bitwise_or(input, other):
    return pointwise.pointwise(lambda a, b: a | b, input, other)


def nan_to_num(input, nan=0.0):
    return pointwise.where(isnan(input), nan, input)


def floor_divide(input, other):
    return pointwise.pointwise(lambda a, b: a // b, input, other, within=result_type(input, other))


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
