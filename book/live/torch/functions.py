"""Functions of one variable, each with its derivative."""

import math
from collections.abc import Callable

from torch import arithmetic
from torch.nodes import Operation
from torch.pointwise import as_float, pointwise, where
from torch.tensor import Tensor


class _Function(Operation):
    """A function of each element. `slope` is its derivative at the input; where `of_result`, in terms of the output."""

    f: Callable[[float], float]
    of_result = False

    def forward(self, a):
        result = pointwise(type(self).f, a, within=as_float(a))
        self.save(**{"result": result} if self.of_result else {"self": a})
        return result

    def slope(self, a: Tensor) -> Tensor:
        raise NotImplementedError

    def backward(self, grad):
        return grad * self.slope(self._saved_result if self.of_result else self._saved_self)


class Neg(Operation):
    """-a."""

    def forward(self, a):
        return pointwise(lambda x: -x, a)

    def backward(self, grad):
        return -grad


class Abs(Operation):
    """|a|: the slope is the sign, and at 0 torch chose 0."""

    def forward(self, a):
        self.save(self=a)
        return pointwise(abs, a)

    def backward(self, grad):
        return grad * self._saved_self.sign()


def threshold_backward(grad: Tensor, a: Tensor, threshold: float) -> Tensor:
    """The gradient where `a` is above the threshold."""
    return where(a > threshold, grad, 0.0)


class Relu(Operation):
    """max(0, a): the gate is shut at 0."""

    def forward(self, a):
        result = pointwise(lambda x: x if x > 0 or x != x else 0, a)
        self.save(result=result)
        return result

    def backward(self, grad):
        return threshold_backward(grad, self._saved_result, 0)


class Threshold(Operation):
    """a above the threshold, the value elsewhere."""

    def forward(self, a, threshold, value):
        self.save(self=a, threshold=threshold)
        return pointwise(lambda x: x if x > threshold else value, a)

    def backward(self, grad):
        return threshold_backward(grad, self._saved_self, self._saved_threshold)


class Exp(_Function):
    f, of_result = arithmetic.safe(math.exp), True

    def slope(self, result):
        return result


class Log(_Function):
    f = arithmetic.logarithm

    def slope(self, a):
        return 1 / a


class Sqrt(_Function):
    f, of_result = arithmetic.safe(math.sqrt), True

    def slope(self, result):
        return 1 / (2 * result)


class Sin(_Function):
    f = arithmetic.safe(math.sin)

    def slope(self, a):
        return Cos.apply(a)


class Cos(_Function):
    f = arithmetic.safe(math.cos)

    def slope(self, a):
        return -Sin.apply(a)


class Tanh(_Function):
    f, of_result = math.tanh, True

    def slope(self, result):
        return 1 - result * result


class Sigmoid(_Function):
    f, of_result = arithmetic.sigmoid, True

    def slope(self, result):
        return result * (1 - result)


class _Flat(Operation):
    """A step function: its slope is 0."""

    f: Callable[[float], float]

    def forward(self, a):
        return pointwise(type(self).f, a)

    def backward(self, grad):
        return grad * 0


class Sign(_Flat):
    f = arithmetic.sign


class Round(_Flat):
    f = arithmetic.half_even

    def forward(self, a, decimals=0):
        scale = 10.0**decimals
        return pointwise(type(self).f if not decimals else lambda x: round(x * scale) / scale, a)


class Floor(_Flat):
    f = math.floor


class Ceil(_Flat):
    f = math.ceil
