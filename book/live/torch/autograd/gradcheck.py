"""gradcheck: the gradients that backward claims, beside differences of the function's values."""

import warnings
from collections.abc import Callable

from torch.autograd.run import grad
from torch.creation import tensor, zeros_like
from torch.dtypes import float64
from torch.grad_mode import enable_grad
from torch.random import Generator, rand, randn_like
from torch.reductions import allclose
from torch.tensor import Tensor

_MISMATCH = "Jacobian mismatch for output {} with respect to input {},\nnumerical:{}\nanalytical:{}\n"
_NOT_DOUBLE = (
    "Input #{} requires gradient and is not a double precision floating point or complex. This check will likely fail if all the "
    "inputs are not of double precision floating point or complex. "
)
_STRIDE = (
    "The {}th input has a dimension with stride 0. gradcheck only supports inputs that are non-overlapping to be able to compute "
    "the numerical gradients correctly. You should call .contiguous on the input before passing it to gradcheck."
)
_NOT_REENTRANT = (
    "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times gives different values, "
    "although analytical gradient matches numerical gradient.The tolerance for nondeterminism was {}."
)


class GradcheckError(RuntimeError):
    """What gradcheck found."""


def _listed(value: object) -> tuple:
    return value if isinstance(value, tuple) else tuple(value) if isinstance(value, list) else (value,)


def gradcheck(
    func: Callable,
    inputs: object,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    fast_mode: bool = False,
    **_: object,
) -> bool:
    """Whether backward agrees with central differences of `func`, element by element, in float64.

    Raises:
        GradcheckError: it does not, unless `raise_exception` is False.
        RuntimeError: an input is expanded, so that its numbers cannot be moved one by one.
        ValueError: no input asks for a gradient.
    """
    compare = _along_one_direction if fast_mode else _element_by_element
    try:
        return _checked(func, _listed(inputs), eps, atol, rtol, nondet_tol, check_undefined_grad, compare)
    except GradcheckError:
        if raise_exception:
            raise
        return False


def _checked(func, inputs, eps, atol, rtol, nondet_tol, undefined, compare) -> bool:
    places = [i for i, a in enumerate(inputs) if isinstance(a, Tensor) and a.requires_grad]
    if not places:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True."
        )
    for i in places:
        if inputs[i].dtype is not float64:
            warnings.warn(_NOT_DOUBLE.format(i), stacklevel=4)
        if any(size > 1 and not stride for size, stride in zip(inputs[i].shape, inputs[i].stride(), strict=True)):
            raise RuntimeError(_STRIDE.format(i))
        inputs[i].retain_grad()
    outputs = _tracked(func(*inputs))
    if not outputs:
        _all_flat(func, inputs, places, eps)
        return True
    for number, output in enumerate(outputs):
        compare(func, inputs, places, number, output, eps, atol, rtol, nondet_tol)
    _multiplied(func, inputs, places)
    if undefined:
        _undefined(func, inputs, places)
    return True


def _tracked(outputs: object) -> list[Tensor]:
    return [o for o in _listed(outputs) if isinstance(o, Tensor) and o.requires_grad]


def _element_by_element(func, inputs, places, number, output, eps, atol, rtol, nondet_tol) -> None:
    """Compare the whole Jacobian: one backward for each element of the output, one difference for each of the input."""
    slopes = [_numerical(func, inputs, i, number, eps) for i in places]
    rows = []
    for k in range(output.numel()):
        one = zeros_like(output)
        one.view(-1)[k] = 1
        rows.append(_twice(output, inputs, places, one, nondet_tol))
    for column, i in enumerate(places):
        claimed = tensor([row[column].values() for row in rows], dtype=output.dtype).reshape(len(rows), inputs[i].numel())
        if not allclose(claimed, slopes[column], rtol, atol):
            raise GradcheckError(_MISMATCH.format(number, column, slopes[column], claimed))


def _along_one_direction(func, inputs, places, number, output, eps, atol, rtol, nondet_tol) -> None:
    """Compare one number: how much a weighted sum of the output changes along a direction of the input."""
    weights, directions = _unit(output), [_unit(inputs[i]) for i in places]
    slopes = []
    for i, along in zip(places, directions, strict=True):
        high, low = (_moved(func, inputs, i, number, [step * d for d in along.values()]) for step in (eps, -eps))
        slopes.append(sum(w * (h - l) / (2 * eps) for w, h, l in zip(weights.values(), high, low, strict=True)))
    gradients = _twice(output, inputs, places, weights, nondet_tol)
    for column, (slope, along) in enumerate(zip(slopes, directions, strict=True)):
        claimed = sum(g * d for g, d in zip(gradients[column].values(), along.values(), strict=True))
        slack = atol * sum(weights.values()) * sum(along.values())
        if not abs(claimed - slope) <= slack + rtol * abs(slope):
            raise GradcheckError(_MISMATCH.format(number, column, slope, claimed))


def _unit(like: Tensor) -> Tensor:
    """A direction with positive parts."""
    source = Generator().manual_seed(0)
    parts = rand(like.shape, generator=source, dtype=like.dtype)
    return parts / (parts * parts).sum().sqrt() if like.numel() else parts


def _twice(output: Tensor, inputs: tuple, places: list[int], upstream: Tensor, nondet_tol: float) -> list[Tensor]:
    """The gradients for the inputs, which a second backward must find again."""
    pair = []
    for _ in range(2):
        found = grad(output, [inputs[i] for i in places], upstream.clone(), retain_graph=True, allow_unused=True)
        pair.append([zeros_like(inputs[i]) if g is None else g.detach().clone() for i, g in zip(places, found, strict=True)])
    for a, b, i in zip(*pair, places, strict=True):
        if a.shape != inputs[i].shape:
            raise GradcheckError("Gradient has different shape from input")
        if a.dtype is not inputs[i].dtype:
            raise GradcheckError("Backward is not type-preserving: dtype of gradient is incorrect")
        if not allclose(a, b, 0.0, nondet_tol, equal_nan=True):
            raise GradcheckError(_NOT_REENTRANT.format(nondet_tol))
    return pair[0]


def _moved(func: Callable, inputs: tuple, place: int, number: int, by: list[float]) -> list[float]:
    """The values of an output where one input is moved a little."""
    moved = inputs[place].detach().clone()
    moved.write([a + b for a, b in zip(moved.values(), by, strict=True)])
    moved.requires_grad_()  # the function sees a leaf that asks for a gradient, as before
    args = tuple(moved if i == place else a for i, a in enumerate(inputs))
    return [o for o in _listed(func(*args)) if _counts(o)][number].values()


def _numerical(func: Callable, inputs: tuple, place: int, number: int, eps: float) -> Tensor:
    """The slope of each output element along each input element, by central differences: one column an input element."""
    count = inputs[place].numel()
    columns = []
    for spot in range(count):
        high, low = (_moved(func, inputs, place, number, [step * (i == spot) for i in range(count)]) for step in (eps, -eps))
        columns.append([(h - l) / (2 * eps) for h, l in zip(high, low, strict=True)])
    table = [list(row) for row in zip(*columns, strict=True)]
    return tensor(table, dtype=inputs[place].dtype).reshape(len(table), count)


def _counts(output: object) -> bool:
    return isinstance(output, Tensor) and output.is_floating_point()


def _all_flat(func: Callable, inputs: tuple, places: list[int], eps: float) -> None:
    outputs = [o for o in _listed(func(*inputs)) if _counts(o)]
    for number in range(len(outputs)):
        for i in places:
            slopes = _numerical(func, inputs, i, number, eps)
            if any(slopes.values()):
                raise GradcheckError("Numerical gradient for function expected to be zero")


def _multiplied(func: Callable, inputs: tuple, places: list[int]) -> None:
    outputs = _tracked(func(*inputs))
    wanted = [inputs[i] for i in places]
    found = grad(outputs, wanted, [zeros_like(o) for o in outputs], allow_unused=True)
    if any(g is not None and any(g.values()) for g in found):
        raise GradcheckError("backward not multiplied by grad_output")


def _undefined(func: Callable, inputs: tuple, places: list[int]) -> None:
    """A gradient that never arrives counts as zeros."""
    outputs = _tracked(func(*inputs))
    for output in outputs:
        node, _ = output.edge()
        try:
            found = node.run(*(None for _ in node._wants))
        except RuntimeError:
            raise GradcheckError(
                'Expected backward function to handle undefined output grads. Please look at "Notes about undefined output '
                'gradients" in "tools/autograd/derivatives.yaml"'
            ) from None
        if any(g is not None and any(g.values()) for g in found):
            raise GradcheckError("Expected all input grads to be undefined or zero when all output grads are undefined or zero.")


def gradgradcheck(func: Callable, inputs: object, grad_outputs: object = None, **options: object) -> bool:
    """gradcheck of backward itself: second derivatives."""
    inputs = _listed(inputs)
    outputs = _tracked(func(*inputs))
    drawn = tuple(randn_like(o).requires_grad_() for o in outputs)
    upstream = drawn if grad_outputs is None else _listed(grad_outputs)
    count = len(inputs)

    def first(*args: object) -> tuple:
        with enable_grad():
            asked = list(args[:count])
            results = _tracked(func(*asked))
            wanted = [a for a in asked if isinstance(a, Tensor) and a.requires_grad]
            found = grad(results, wanted, list(args[count:]), create_graph=True, allow_unused=True)
        return tuple(g for g in found if g is not None)

    return gradcheck(first, (*inputs, *upstream), **options)
