"""Arithmetic on two Python numbers as a processor does it: infinity and NaN in the place of Python's exceptions."""

import math
import operator
from collections.abc import Callable


def divide(a: float, b: float) -> float:
    try:
        return a / b
    except ZeroDivisionError:
        return math.nan if a == 0 or a != a else math.copysign(math.inf, a) * math.copysign(1.0, b)


def remainder(a: float, b: float) -> float:
    return a % b if b else math.nan


def power(a: float, b: float) -> float:
    if b == 2:
        return a * a
    try:
        return math.pow(a, b) if isinstance(a, float) or isinstance(b, float) or b < 0 else a**b
    except OverflowError:
        return math.inf if a > 0 or b % 2 == 0 else -math.inf
    except ValueError:
        return math.inf if a == 0 else math.nan


def largest(a: float, b: float) -> float:
    return a if a != a or a > b else b


def smallest(a: float, b: float) -> float:
    return a if a != a or a < b else b


def safe(f: Callable[[float], float], too_large: float = math.inf) -> Callable[[float], float]:
    """`f` with NaN where it is not defined, and `too_large` where it overflows."""

    def guarded(x: float) -> float:
        try:
            return f(x)
        except OverflowError:
            return too_large
        except ValueError:
            return math.nan

    return guarded


def logarithm(x: float) -> float:
    return -math.inf if x == 0 else math.log(x) if x > 0 else math.nan


def sign(x: float) -> float:
    return x and math.copysign(1, x) if x == x else x


def sigmoid(x: float) -> float:
    if x < 0:
        power = math.exp(x)
        return power / (1 + power)
    return 1 / (1 + math.exp(-x))


def half_even(x: float) -> float:
    return float(round(x)) if math.isfinite(x) else x


COMPARISONS = {name: getattr(operator, name) for name in ("lt", "le", "gt", "ge", "eq", "ne")}
