"""The operations under the names, and with the arguments, that torch gives them: here those on numbers."""

import math

from torch import arithmetic, functions, pointwise, reductions
from torch.dtypes import bool_, result_type
from torch.tensor import Tensor


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
