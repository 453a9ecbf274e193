"""The types of numbers, how each rounds, and which one wins when two meet."""

import math
import struct
from array import array


class dtype:
    """A type of numbers, for example `torch.float32`. `kind` orders the kinds: bool, int, float."""

    def __init__(self, name: str, kind: int, size: int, rounded) -> None:
        self.name, self.kind, self.itemsize, self.rounded = name, kind, size, rounded
        self.is_floating_point, self.is_complex = kind == 2, kind == 3

    def __repr__(self) -> str:
        return f"torch.{self.name}"


def _doubles(values: list) -> list:
    return list(map(float, values))


def _floats(values: list) -> list:
    return array("f", values).tolist()  # a C float each: rounds, and overflows to infinity


def _halves(values: list) -> list:
    def half(value: float) -> float:
        try:
            return struct.unpack("e", struct.pack("e", value))[0]
        except OverflowError:
            return math.copysign(math.inf, value)

    return list(map(half, values))


def _brain_floats(values: list) -> list:
    def brain(value: float) -> float:
        if not math.isfinite(value):
            return float(value)
        (bits,) = struct.unpack("I", struct.pack("f", value))
        return struct.unpack("f", struct.pack("I", (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000))[0]

    return list(map(brain, values))


def _integers(bits: int):
    def wrapped(values: list) -> list:
        half = 1 << bits - 1
        return [v if -half <= v < half else (v + half) % (2 * half) - half for v in map(int, values)]

    return wrapped


def _complex(values: list) -> list:
    raise NotImplementedError("The small torch of this page has no complex numbers")


bool_ = dtype("bool", 0, 1, lambda values: list(map(bool, values)))
uint8 = dtype("uint8", 1, 1, lambda values: [int(v) % 256 for v in values])
int8 = dtype("int8", 1, 1, _integers(8))
int16 = dtype("int16", 1, 2, _integers(16))
int32 = dtype("int32", 1, 4, _integers(32))
int64 = dtype("int64", 1, 8, _integers(64))
float16 = dtype("float16", 2, 2, _halves)
bfloat16 = dtype("bfloat16", 2, 2, _brain_floats)
float32 = dtype("float32", 2, 4, _floats)
float64 = dtype("float64", 2, 8, _doubles)
complex64 = dtype("complex64", 3, 8, _complex)
complex128 = dtype("complex128", 3, 16, _complex)

_ORDER = (bool_, uint8, int8, int16, int32, int64, bfloat16, float16, float32, float64)
_default = [float32]


def get_default_dtype() -> dtype:
    return _default[0]


def set_default_dtype(d: dtype) -> None:
    _default[0] = d


def wider(a: dtype, b: dtype) -> dtype:
    if {a, b} == {float16, bfloat16}:
        return float32
    return max(a, b, key=_ORDER.index)


def of_number(value: object) -> dtype:
    """The type that torch gives a Python number."""
    if isinstance(value, bool):
        return bool_
    return int64 if isinstance(value, int) else get_default_dtype()


def result_type(*operands: object) -> dtype:
    """The type of an operation's result. A number, or a tensor without dimensions, counts only if it is of a higher kind."""
    first = operands[0]
    if getattr(first, "shape", None) and all(getattr(o, "shape", None) and o.dtype is first.dtype for o in operands):
        return first.dtype
    result = None
    for rank in (2, 1, 0):  # tensors with dimensions, tensors without, Python's numbers
        found = None
        for operand in operands:
            is_number = isinstance(operand, (bool, int, float))
            if (0 if is_number else 2 if operand.shape else 1) == rank:
                own = of_number(operand) if is_number else operand.dtype
                found = own if found is None else wider(found, own)
        if result is None or (found is not None and found.kind > result.kind):
            result = found or result
    return result


_BITS = {"float16": (5, 10), "bfloat16": (8, 7), "float32": (8, 23), "float64": (11, 52)}  # exponent, mantissa


class finfo:
    """The limits of a floating-point type."""

    def __init__(self, of: dtype | None = None) -> None:
        exponent, mantissa = _BITS[(of or get_default_dtype()).name]
        top = 2 ** (exponent - 1) - 1
        self.eps = 2.0**-mantissa
        self.max = (2 - self.eps) * 2.0**top
        self.min, self.tiny = -self.max, 2.0 ** (1 - top)
        self.smallest_normal = self.tiny
