"""Operations element by element, each with its derivative.

Shapes broadcast on the way forward. On the way back a gradient may be as large as the result: the engine sums it down.
"""

import math
import operator
from collections.abc import Callable

from torch import arithmetic
from torch.devices import common_device
from torch.dtypes import bool_, dtype, get_default_dtype, of_number, result_type
from torch.layout import broadcast
from torch.nodes import Operation
from torch.tensor import Tensor, new


def pointwise(f: Callable, *operands: object, result: dtype | None = None, within: dtype | None = None) -> Tensor:
    """Apply `f` to each element of the operands, tensors or numbers, stretched to one shape."""
    tensors = [a for a in operands if isinstance(a, Tensor)]
    within = within or result_type(*operands)
    shape, on = broadcast(*(t.shape for t in tensors)), common_device(*tensors)
    if on.type == "meta":
        return new(None, shape, result or within, on)
    columns = []
    for a in operands:
        own = a.dtype if isinstance(a, Tensor) else of_number(a)
        values = a.stretched_to(shape) if isinstance(a, Tensor) else [a] * shape.numel()
        columns.append(values if own is within else within.rounded(values))
    return new(list(map(f, *columns)), shape, result or within, on)


def as_float(*operands: object) -> dtype:
    """The type in which to divide or take roots: integers become the default float."""
    found = result_type(*operands)
    return found if found.is_floating_point else get_default_dtype()


class Add(Operation):
    """a + alpha · b: both get the upstream gradient, b times alpha."""

    def forward(self, a, b, alpha=1):
        self.save(alpha=alpha)
        return pointwise(operator.add, a, b if alpha == 1 else b * alpha)

    def backward(self, grad):
        return grad, grad if self._saved_alpha == 1 else grad * self._saved_alpha


class Sub(Operation):
    """a - alpha · b."""

    def forward(self, a, b, alpha=1):
        self.save(alpha=alpha)
        if any(isinstance(t, Tensor) and t.dtype is bool_ for t in (a, b)):
            raise RuntimeError(
                "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the "
                "`~` or `logical_not()` operator instead."
            )
        return pointwise(operator.sub, a, b if alpha == 1 else b * alpha)

    def backward(self, grad):
        return grad, -grad if self._saved_alpha == 1 else grad * -self._saved_alpha


class Rsub(Sub):
    """b - a, which torch makes of `1 - x`."""

    number = 1

    def forward(self, a, b, alpha=1):
        self.save(alpha=alpha)
        return pointwise(operator.sub, b, a)

    def backward(self, grad):
        return -grad, grad


class Mul(Operation):
    """a · b: each factor's slope is the other factor."""

    def forward(self, a, b):
        self.save(self=a if self.needs(1) else None, other=b if self.needs(0) else None)
        return pointwise(operator.mul, a, b)

    def backward(self, grad):
        return grad * self._saved_other if self.needs(0) else None, grad * self._saved_self if self.needs(1) else None


class Div(Operation):
    """a / b: slopes 1/b and -a/b²."""

    def forward(self, a, b):
        self.save(self=a if self.needs(1) else None, other=b)
        return pointwise(arithmetic.divide, a, b, within=as_float(a, b))

    def backward(self, grad):
        other = self._saved_other
        return grad / other, -grad * ((self._saved_self / other) / other) if self.needs(1) else None


class Pow(Operation):
    """aⁿ for a number n: n · aⁿ⁻¹."""

    def forward(self, a, exponent):
        self.save(self=a, exponent=exponent)
        return pointwise(arithmetic.power, a, exponent)

    def backward(self, grad):
        n = self._saved_exponent
        return grad * 0 if n == 0 else grad * (n * self._saved_self ** (n - 1))


class _Pow(Operation):
    """aᵇ: b · aᵇ⁻¹ for a, aᵇ · log a for b."""

    number = 1

    def forward(self, a, b):
        result = pointwise(arithmetic.power, a, b)
        self.save(self=a, exponent=b, result=result)
        return result

    def backward(self, grad):
        a, b = self._saved_self, self._saved_exponent
        of_a = grad * where(b == 0, 0.0, b * a ** (b - 1)) if self.needs(0) else None
        of_b = grad * where(self._saved_result == 0, 0.0, self._saved_result * _log(a)) if self.needs(1) else None
        return of_a, of_b


def _log(a):
    from torch.functions import Log

    return Log.apply(a) if isinstance(a, Tensor) else math.log(a)


class Clamp(Operation):
    """a, kept between two numbers: 1 inside and on the border, 0 outside."""

    number = 1

    def forward(self, a, min=None, max=None):
        self.save(self=a, min=min, max=max)
        if min is None and max is None:
            raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
        low, high = -math.inf if min is None else min, math.inf if max is None else max
        within = result_type(a, *(n for n in (min, max) if n is not None))
        return pointwise(lambda x: low if x < low else high if x > high else x, a, within=within)

    def backward(self, grad):
        a, low, high = self._saved_self, self._saved_min, self._saved_max
        inside = a >= low if high is None else a <= high if low is None else (a >= low).logical_and(a <= high)
        return where(inside, grad, 0.0)


class Maximum(Operation):
    """The larger of two. Where they are equal, each gets half."""

    better = staticmethod(arithmetic.largest)
    first_wins = "gt"

    def forward(self, a, b):
        self.save(self=a, other=b)
        return pointwise(self.better, a, b)

    def backward(self, grad):
        a, b = self._saved_self, self._saved_other
        won, lost = (a > b, a < b) if self.first_wins == "gt" else (a < b, a > b)
        shared = where(a == b, grad / 2, grad)
        return where(lost, 0.0, shared), where(won, 0.0, shared)


class Minimum(Maximum):
    """The smaller of two. Where they are equal, each gets half."""

    better = staticmethod(arithmetic.smallest)
    first_wins = "lt"


class Where(Operation):
    """a where the condition holds, b elsewhere: the gradient goes to the one that was taken."""

    def forward(self, a, b, condition):
        self.save(condition=condition)
        within = result_type(a, b)
        a, b = (t if isinstance(t, Tensor) else new([t], (), within) if condition.is_meta is False else t for t in (a, b))
        return pointwise(lambda c, x, y: x if c else y, condition, a, b, within=within)

    def backward(self, grad):
        condition = self._saved_condition
        return where(condition, grad, 0.0), where(condition, 0.0, grad)


class MaskedFill(Operation):
    """a, with a number at the places of a mask, where the slope is 0."""

    number = 0

    def forward(self, a, value, mask):
        self.save(mask=mask)
        return pointwise(lambda m, x, v: v if m else x, mask, a, value, within=a.dtype)

    def backward(self, grad):
        mask = self._saved_mask
        return grad.masked_fill(mask, 0), where(mask, grad, 0.0).sum()


def where(condition: Tensor, a: object = None, b: object = None) -> Tensor | tuple:
    """a where the condition holds, else b; without them, the places where it holds."""
    if a is None:
        return condition.nonzero(as_tuple=True)
    return Where.apply(a, b, condition=condition)


def comparison(name: str) -> Callable:
    def compare(a: Tensor, b: object) -> Tensor:
        if not isinstance(b, (Tensor, bool, int, float)):
            return NotImplemented
        return pointwise(arithmetic.COMPARISONS[name], a, b, result=bool_)

    return compare


def logical(f: Callable) -> Callable:
    """An operation on truth values, without a derivative."""

    def of_tensors(*operands: object) -> Tensor:
        return pointwise(f, *operands, result=bool_)

    return of_tensors
