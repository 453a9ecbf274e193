"""Whether what a Function computes is an operation of torch's under another name, as far as its values tell."""

from collections.abc import Callable, Iterator
from itertools import permutations

import torch
import torch.nn.functional as F
from torch import Tensor

ALMOST = 1e-4  # of the size: what differs by less is the same operation in disguise
_ONE = (
    "abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "cos", "cosh", "deg2rad", "digamma", "erf",
    "erfc", "erfinv", "exp", "exp2", "expm1", "floor", "frac", "i0", "lgamma", "log", "log10", "log1p", "log2",
    "logit", "nan_to_num", "neg", "positive", "rad2deg", "reciprocal", "relu", "round", "rsqrt", "sgn", "sigmoid",
    "sign", "sin", "sinc", "sinh", "sqrt", "square", "tan", "tanh", "trunc",
)  # fmt: skip
_ACTIVATIONS = (
    "celu", "elu", "gelu", "glu", "hardshrink", "hardsigmoid", "hardswish", "hardtanh", "leaky_relu", "logsigmoid",
    "mish", "normalize", "relu6", "selu", "silu", "softplus", "softshrink", "softsign", "tanhshrink",
)  # fmt: skip
_ALONG_A_DIMENSION = (
    "softmax",
    "log_softmax",
    "cumsum",
    "cumprod",
    "logcumsumexp",
    "softmin",
    "sum",
    "mean",
    "logsumexp",
    "norm",
)
_TWO = (
    "add", "sub", "mul", "div", "pow", "maximum", "minimum", "fmax", "fmin", "hypot", "atan2", "logaddexp",
    "logaddexp2", "copysign", "fmod", "remainder", "xlogy", "matmul", "outer", "ldexp", "cdist",
)  # fmt: skip
_THREE = ("addcmul", "addcdiv", "lerp", "clamp", "where")


def torchs_name(output: Tensor, args: tuple) -> str | None:
    """The operation of torch's that gives `output` for the arguments, or None where none of those known does.

    Where only one of the tensors is more than a number, a multiple of such an operation and a constant beside it count too.
    """
    tensors = [a.detach() for a in args if isinstance(a, Tensor) and a.is_floating_point()]
    numbers = [a for a in args if isinstance(a, (int, float)) and not isinstance(a, bool)]
    scaled = sum(tensor.numel() > 1 for tensor in tensors) == 1
    for name, value in _candidates(tensors, numbers):
        if not isinstance(value, Tensor) or not value.is_floating_point() or value.shape != output.shape:
            continue
        if _close(value, output) or (scaled and _combines((value,), output)):
            return name
    for tensor in tensors:
        if tensor.numel() == output.numel() and _close(tensor.flatten().sort().values, output.flatten().sort().values):
            return "a permutation of its input"
        if len(tensors) == 1 and tensor.shape == output.shape and _combines((tensor.clamp(min=0), tensor.clamp(max=0)), output):
            return "leaky_relu"
    return None


def _candidates(tensors: list[Tensor], numbers: list[float]) -> Iterator[tuple[str, object]]:
    for x in tensors:
        yield "the identity", x
        for name in _ONE:
            yield name, _tried(getattr(torch, name), x)
        for name in _ACTIVATIONS:
            yield name, _tried(getattr(F, name), x)
            for number in numbers:
                yield name, _tried(getattr(F, name), x, number)
        for name in _ALONG_A_DIMENSION:
            for dim in range(-x.dim(), 0):
                yield name, _tried(getattr(torch, name, None) or getattr(F, name), x, dim=dim)
        for name in _TWO:
            for number in numbers:
                yield name, _tried(getattr(torch, name), x, number)
        yield "layer_norm", _tried(F.layer_norm, x, x.shape[-1:])
        yield "rms_norm", _tried(F.rms_norm, x, x.shape[-1:])
    for pair in permutations(tensors, 2):
        for name in _TWO:
            yield name, _tried(getattr(torch, name), *pair)
        yield "prelu", _tried(F.prelu, *pair)
        yield "prelu", _tried(lambda x, slope: torch.where(x > 0, x, slope * x), *pair)
        yield "linear", _tried(F.linear, *pair)
    for three in permutations(tensors, 3):
        for name in _THREE:
            yield name, _tried(getattr(torch, name), *three)
        yield "linear", _tried(F.linear, *three)
        x, weight, bias = three
        yield "addcmul", _tried(lambda x, w, b: x * w + b, *three)
        yield "layer_norm", _tried(F.layer_norm, x, x.shape[-1:], weight, bias)


def _tried(operation: Callable, *args: object, **options: object) -> object:
    try:
        return operation(*args, **options)
    except Exception:
        return None


def _close(one: Tensor, other: Tensor) -> bool:
    return torch.allclose(one, other, rtol=0.0, atol=ALMOST * _size(other))


def _combines(columns: tuple[Tensor, ...], output: Tensor) -> bool:
    """Whether `output` is a constant plus multiples of the columns, with more numbers than there are multiples."""
    if output.numel() < 3 * len(columns) + 3 or not all(column.isfinite().all() for column in columns):
        return False
    matrix = torch.stack([torch.ones_like(output).flatten(), *(column.flatten() for column in columns)], 1)
    found = torch.linalg.lstsq(matrix, output.flatten().unsqueeze(1)).solution
    return _close((matrix @ found).squeeze(1), output.flatten())


def _size(tensor: Tensor) -> float:
    return float(tensor.abs().max()) if tensor.numel() else 1.0
